/** What proves that a client may come in. */
export type ClientAuth =
  /** Everybody who can reach the port may. */
  | { readonly kind: 'none' }
  /** The token in this file, which is made when there is none; null for the host's own file in its state folder. */
  | { readonly kind: 'own-token'; readonly file: string | null }
  /** The token in this file, which somebody else made. */
  | { readonly kind: 'given-token'; readonly file: string }
  /** The token that has this SHA-256: the host need not know the token itself. */
  | { readonly kind: 'token-hash'; readonly sha256: Uint8Array };

/** The modes of the original; see docs/exec-server.md. */
export const WS_AUTH_MODES = ['capability-token', 'signed-bearer-token'] as const;

/** The command line's word on it. */
export interface ClientAuthArguments {
  readonly isStdio: boolean;
  readonly auth: boolean;
  readonly tokenFile?: string;
  readonly wsAuth?: (typeof WS_AUTH_MODES)[number];
  readonly wsTokenFile?: string;
  readonly wsTokenSha256?: string;
}

/**
 * Reads the flags of `shellscope serve` that say who may come in: ours, and those of `codex exec-server` (0.169). Throws
 * an `Error` with what contradicts what, or what is missing; nothing is guessed where a door is concerned.
 */
export function clientAuth(given: ClientAuthArguments): ClientAuth {
  const { isStdio, auth, tokenFile, wsAuth, wsTokenFile, wsTokenSha256 } = given;
  if (isStdio && tokenFile !== undefined) {
    throw new Error('a token belongs to a WebSocket listener, not to stdio: leave --token-file out');
  }
  const hasWsToken = wsTokenFile !== undefined || wsTokenSha256 !== undefined;
  if (wsAuth === undefined) {
    if (hasWsToken) {
      throw new Error(
        '--ws-token-file and --ws-token-sha256 require `--ws-auth capability-token`; ours without it is --token-file',
      );
    }
    return auth ? { kind: 'own-token', file: tokenFile ?? null } : { kind: 'none' };
  }
  if (isStdio) {
    throw new Error('WebSocket auth requires a WebSocket listener, not stdio: leave --ws-auth out');
  }
  if (wsAuth === 'signed-bearer-token') {
    throw new Error(
      '`--ws-auth signed-bearer-token` is not served here; use `--ws-auth capability-token` with --ws-token-file or ' +
        '--ws-token-sha256, or give each client a token of its own with `shellscope connect NAME`',
    );
  }
  if (!auth || tokenFile !== undefined) {
    throw new Error(`--ws-auth and ${auth ? '--token-file' : '--no-auth'} contradict each other: leave one out`);
  }
  if (wsTokenFile !== undefined && wsTokenSha256 !== undefined) {
    throw new Error('--ws-token-file and --ws-token-sha256 are mutually exclusive: leave one out');
  }
  if (wsTokenFile !== undefined) {
    return { kind: 'given-token', file: wsTokenFile };
  }
  if (wsTokenSha256 === undefined) {
    throw new Error('`--ws-auth capability-token` requires --ws-token-file or --ws-token-sha256');
  }
  if (!/^[0-9a-f]{64}$/i.test(wsTokenSha256)) {
    throw new Error(
      '--ws-token-sha256 must be a SHA-256 in 64 hexadecimal digits, as `printf %s "$TOKEN" | sha256sum` prints it',
    );
  }
  return { kind: 'token-hash', sha256: Buffer.from(wsTokenSha256, 'hex') };
}
