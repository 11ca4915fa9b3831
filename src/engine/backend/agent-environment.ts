import { childEnvironment, matcher, type EnvironmentRequest } from './child-environment.ts';

/** Names that hold credentials, or lead to somebody who has some (the sockets of agents for keys). */
const SECRET_NAMES = [
  ...[
    '*KEY',
    '*KEY_*',
    '*KEYS',
    '*SECRET*',
    '*TOKEN*',
    '*PASSWORD*',
    '*PASSWD*',
    '*PASSPHRASE*',
    '*CREDENTIAL*',
    '*_PASS',
  ],
  ...[
    '*_PAT',
    '*_AUTH',
    '*AUTHORIZATION*',
    '*COOKIE*',
    '*_DSN',
    '*CONNECTION_STRING*',
    '*CONNSTR*',
    '*WEBHOOK*',
    '*_JWT',
  ],
  ...[
    'SSH_AUTH_SOCK',
    'GPG_AGENT_INFO',
    'PGPASSFILE',
    'NETRC',
    'KUBECONFIG',
    'DOCKER_AUTH_CONFIG',
    'PGPASS',
    '*APIKEY*',
  ],
];

/** What credentials look like wherever they stand: the beginnings that their makers give them, and passwords in addresses. */
const SECRET_VALUES = [
  /(^|[^\w-])(gh[pousr]_|github_pat_|glpat-|sk-|sk_live_|rk_live_|xox[abposr]-|npm_|pypi-|hf_|AIza|AKIA|ASIA|SG\.|dop_v1_)[\w.-]{12,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./,
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i,
];

const hasSecretName = matcher(SECRET_NAMES);

/** Does a variable look like a credential, by its name or by what it holds? */
export function looksLikeCredential(name: string, value: string): boolean {
  return value !== '' && (hasSecretName(name) || SECRET_VALUES.some((pattern) => pattern.test(value)));
}

/** An agent's request for an environment, with what it is not given. */
export interface AgentEnvironment {
  readonly request: EnvironmentRequest;
  /** Names of the host's variables that the request would have inherited, and that are kept out as secrets; sorted. */
  readonly keptOut: readonly string[];
}

/**
 * The environment of an agent's child: what looks like a credential of the host is not inherited, whatever the request
 * says (S14). `inheritable` are wildcard patterns of names that the client's settings let through. What a client gives
 * by itself is its own, and stays.
 */
export function agentEnvironment(
  request: EnvironmentRequest,
  host: Readonly<NodeJS.ProcessEnv>,
  inheritable: readonly string[],
): AgentEnvironment {
  if (request.kind === 'exact') {
    return { request, keptOut: [] };
  }
  const { variables, origins } = childEnvironment(request, host);
  const isLetThrough = matcher(inheritable);
  const keptOut = Object.entries(variables)
    .filter(([name, value]) => origins[name] === 'host' && looksLikeCredential(name, value) && !isLetThrough(name))
    .map(([name]) => name)
    .toSorted();
  return { request: { ...request, exclude: [...request.exclude, ...keptOut] }, keptOut };
}
