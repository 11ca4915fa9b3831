import { readOnly, workspaceWrite } from '../../engine/engine.ts';
import type { Engine, Retry, SandboxPolicy, StartRequest, StartSafety } from '../../engine/engine.ts';
import type { SessionId } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import { ApprovedActs, type ActOutcome } from './approved-acts.ts';
import type { ToolArguments } from './mcp-arguments.ts';
import type { OwnSessions } from './own-sessions.ts';
import { environmentWith, originOf, type ToolCall } from './tool-call.ts';

/** The fence that a call asks for. */
type FenceArguments = Pick<ToolArguments<'shell_exec'>, 'sandbox' | 'workspace' | 'allowed_hosts'>;

/** What all starts are asked with. */
export type StartArguments = FenceArguments & Pick<ToolArguments<'shell_open'>, 'cwd' | 'env' | 'request_id' | 'title'>;

/** What is started. */
export interface StartWish extends Pick<StartRequest, 'argv' | 'backend'> {
  readonly mayRetry: boolean;
}

/** A session of this client, and what becomes of a second run of it. */
export interface AgentStart {
  readonly session: SessionId;
  readonly retry: Promise<Retry>;
}

export interface AgentStartsOptions {
  readonly engine: Engine;
  readonly own: OwnSessions;
  /** Whose starts these are; see `McpFrontOptions`. */
  readonly account: string;
  /** For commands without a directory of their own. Absolute path. */
  readonly cwd: string;
}

/** How a client's calls start sessions: by way of approvals and the sandbox, each request id once. */
export class AgentStarts {
  readonly #options: AgentStartsOptions;
  readonly #acts = new ApprovedActs<AgentStart>();
  /** Second runs that nobody was told of yet. */
  readonly #retries = new TurnoverMap<SessionId, Promise<Retry>>();

  constructor(options: AgentStartsOptions) {
    this.#options = options;
  }

  /** Starts it. A person who is asked is waited for up to so many milliseconds. */
  start(
    args: StartArguments,
    call: ToolCall,
    { waitMs, ...wish }: StartWish & { readonly waitMs: number },
  ): Promise<ActOutcome<AgentStart>> {
    const { cwd } = this.#options;
    const { request_id: requestId, sandbox, workspace, allowed_hosts: allowed } = args;
    const what = JSON.stringify([wish, args.cwd ?? cwd, args.env, sandbox, workspace, allowed, args.title]);
    return this.#acts.run({ requestId, what, waitMs, signal: call.signal }, ({ askSignal, onWaiting }) =>
      this.#begin(args, call, { ...wish, safety: { signal: askSignal, onWaiting } }),
    );
  }

  /** What it shall run in. An answer for this session holds until this client leaves. */
  safety({ sandbox, workspace, allowed_hosts: allowed }: FenceArguments, cwd: string): Partial<StartSafety> {
    const more = allowed.length === 0 ? {} : { network: { allowed, denied: [] } };
    const policy: SandboxPolicy =
      sandbox === 'none'
        ? { kind: 'none' }
        : sandbox === 'read-only'
          ? readOnly(more)
          : workspaceWrite(workspace ?? cwd, more);
    return { sandbox: policy, clientSession: this.#options.account };
  }

  /** A client's request id as the engine's: two clients may choose the same. */
  requestId(requestId: string): string {
    return `${this.#options.account} ${requestId}`;
  }

  /** A session that is gone. */
  forget(id: SessionId): void {
    this.#retries.delete(id);
  }

  dispose(): void {
    this.#acts.dispose();
  }

  async #begin(
    args: StartArguments,
    call: ToolCall,
    { mayRetry, safety, ...what }: StartWish & { readonly safety: Partial<StartSafety> },
  ): Promise<AgentStart> {
    const { engine, cwd, own } = this.#options;
    const { request_id: requestId } = args;
    const { session, retry } = await engine.startSafely(
      {
        ...what,
        cwd: args.cwd ?? cwd,
        environment: environmentWith(args.env),
        // Not the id of the call: the same request again is another call.
        origin: originOf({ client: call.client, callId: requestId ?? call.callId }),
        ...(requestId === undefined ? {} : { requestId: this.requestId(requestId) }),
        ...(args.title === undefined ? {} : { title: args.title }),
      },
      { ...this.safety(args, args.cwd ?? cwd), ...safety, mayRetry },
    );
    const { id } = session;
    own.add(id);
    return { session: id, retry: this.#retryOf(id, retry) };
  }

  /** Its second run is this client's, too, also when nobody waits for it any more. The same request again knows of it. */
  #retryOf(id: SessionId, retry: Promise<Retry>): Promise<Retry> {
    const known = this.#retries.get(id);
    if (known !== undefined) {
      return known;
    }
    const owned = retry.then((outcome) => {
      if (outcome.kind === 'started') {
        this.#options.own.add(outcome.session.id);
      }
      return outcome;
    });
    this.#retries.set(id, owned);
    return owned;
  }
}
