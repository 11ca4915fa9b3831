import { homedir, tmpdir } from 'node:os';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SessionId } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { SessionDirectory } from './exec-connection.ts';
import { EXTENSION_METHODS } from './exec-extensions.ts';
import { WireErrorCode } from './exec-server-schema.ts';
import { ExecSession } from './exec-session.ts';
import type { Outbox } from './hosted-process.ts';
import { WireError } from './wire-error.ts';

/** What every way to this server needs of its host. */
export interface ExecServerHost {
  readonly engine: Engine;
  readonly log: Logger;
  /** Shell that clients shall wrap commands in. */
  readonly shellPath: string;
  readonly version: string;
  /**
   * Of the process that hosts the engine: where headers of `http/request` may take a value from, by name. None of it is
   * given otherwise.
   */
  readonly hostEnvironment?: Readonly<Record<string, string | undefined>>;
}

/** The sessions of one listener: attached, or waiting for their client to come back. */
export class ExecSessions implements SessionDirectory {
  readonly #options: ExecServerHost;
  readonly #sessions = new TurnoverMap<string, ExecSession>();
  /** Whose each of the engine's sessions is that was started here; null for who has the host's own token. */
  readonly #accounts = new TurnoverMap<SessionId, string | null>();
  readonly #stopListening: () => void;

  constructor(options: ExecServerHost) {
    this.#options = options;
    this.#stopListening = options.engine.onEvent((event) => {
      if (event.type === 'removed') {
        this.#accounts.delete(event.id);
      }
    });
  }

  open(owner: Outbox, clientName: string, resumeSessionId: string | null): ExecSession {
    return this.openFor(null, owner, clientName, resumeSessionId);
  }

  /** `account`: the client whose token it is; null for who has the host's own, or needs none. */
  openFor(account: string | null, owner: Outbox, clientName: string, resumeSessionId: string | null): ExecSession {
    if (resumeSessionId === null) {
      const session = new ExecSession({
        engine: this.#options.engine,
        log: this.#options.log,
        account,
        clientName: account ?? clientName,
        onStarted: (id) => this.#accounts.set(id, account),
        ofAccount: () => [...this.#accounts].filter(([, whose]) => whose === account).map(([id]) => id),
        onExpired: ({ id }) => this.#sessions.delete(id),
      });
      session.claim(owner);
      this.#sessions.set(session.id, session);
      return session;
    }
    const session = this.#sessions.get(resumeSessionId);
    // Of another client's sessions not even that they exist is told.
    if (session === undefined || session.account !== account) {
      throw new WireError(WireErrorCode.invalidRequest, `unknown session id ${resumeSessionId}`);
    }
    if (!session.claim(owner)) {
      throw new WireError(
        WireErrorCode.sessionAttached,
        `session ${resumeSessionId} is already attached to another connection`,
      );
    }
    return session;
  }

  environmentInfo(): object {
    const { shellPath, version, hostEnvironment } = this.#options;
    return {
      shell: { name: basename(shellPath), path: shellPath },
      executorVersion: version,
      cwd: pathToFileURL(process.cwd()).href,
      userHomeDir: pathToFileURL(homedir()).href,
      platformOs: process.platform === 'darwin' ? 'macos' : process.platform === 'win32' ? 'windows' : 'linux',
      prependPathDirs: [],
      temporaryDirectories: [],
      tempDir: pathToFileURL(tmpdir()).href,
      capabilities: {
        fsWatchMissing: true,
        fileWriteStreaming: true,
        // Ours; a client of the real server passes over it.
        shellscopeExtensions: EXTENSION_METHODS,
        ...(hostEnvironment === undefined ? {} : { httpHeaderEnvVars: true }),
      },
    };
  }

  /** Ends every child; resolves when they have ended. */
  async dispose(): Promise<void> {
    const sessions = this.#sessions.values();
    this.#sessions.clear();
    this.#stopListening();
    await Promise.all(sessions.map((session) => session.dispose()));
  }
}
