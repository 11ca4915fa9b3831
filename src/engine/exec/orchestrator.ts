import { realpath } from 'node:fs/promises';
import { EngineError } from '../../shared/errors.ts';
import type { ExitStatus, SessionId, SessionInfo } from '../../shared/session.ts';
import { canonicalArgv } from '../approval/canonical-argv.ts';
import { decide, isOtherName, type Decision } from '../approval/decide.ts';
import { variablesDigest, type Asker, type GrantedCommand, type Grants } from '../approval/grants.ts';
import type { PendingQuestions, QuestionSubject, Settled } from '../approval/pending-questions.ts';
import type { ApprovalPolicy, ApprovalRule } from '../approval/policy.ts';
import type { SecondOpinion } from '../approval/shell-text.ts';
import { fenceFor, type Fence } from '../sandbox/fence.ts';
import { likelyDenied, type LikelyDenied } from '../sandbox/likely-denied.ts';
import { sandboxKey, sandboxText, type FencePolicy, type SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import type { SandboxReport } from '../sandbox/sandbox-report.ts';
import type { StartRequest } from '../session/session-manager.ts';
import { refusalText } from './refusal-text.ts';
import type { Retry, SafeStart, SafetyEvent, StartSafety } from './start-safety.ts';

/** What a child will be given, as the session manager will make it. */
export interface FutureEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Those of them that the host has otherwise, or not at all. */
  readonly changed: Readonly<Record<string, string>>;
}

/** What a started session says of itself. */
export interface StartedAs {
  readonly sandbox: SandboxPolicy;
  /** The session that it repeats without its sandbox. */
  readonly retryOf: SessionId | null;
}

/** The way out of one sandbox to the hosts that it may reach. */
export interface OpenNetwork {
  readonly socket: string;
  /** The child runs: with its end the way ends, too. */
  belongsTo(session: SessionId): void;
  dispose(): void;
}

/** What the orchestrator works with. */
export interface OrchestratorPieces {
  /** Starts it with the fence's words before its own; the only way to a child. */
  start(request: StartRequest, fence: Fence, about: StartedAs): Promise<SessionInfo>;
  /** Resolves when the child has ended, with the end of its output as text. */
  ended(id: SessionId): Promise<{ readonly exit: ExitStatus; readonly output: string }>;
  environmentOf(request: StartRequest): FutureEnvironment;
  /** `folder`: where it runs, or the workspace that it is held in; an absolute path without links. */
  policyFor(client: string, folder: string): ApprovalPolicy;
  /** Writes what was answered with "always" into the settings. */
  addRules(client: string, rules: readonly ApprovalRule[]): Promise<void>;
  sandboxReport(): Promise<SandboxReport>;
  /** Makes the way to the hosts that a fence lists; null where it lists none. */
  openNetwork(fence: FencePolicy, client: string): Promise<OpenNetwork | null>;
  readonly secondOpinion: SecondOpinion;
  readonly questions: PendingQuestions;
  readonly grants: Grants;
  audit(event: SafetyEvent): void;
}

/** A start with all that is known of it. */
interface Judged {
  readonly request: StartRequest;
  readonly safety: StartSafety;
  readonly environment: FutureEnvironment;
  /** What a grant is looked up by, but for the sandbox. */
  readonly command: Omit<GrantedCommand, 'sandbox'>;
  readonly policy: ApprovalPolicy;
}

/** The way of every agent's command (D1): approval → sandbox → run → where the sandbox denied it, perhaps again without. */
export class Orchestrator {
  readonly #pieces: OrchestratorPieces;

  constructor(pieces: OrchestratorPieces) {
    this.#pieces = pieces;
  }

  /**
   * Rejects with `refused` when a rule, a person or the policy does not allow it, `sandbox-missing` when it shall be
   * fenced in and cannot be, and with what `start` rejects with.
   */
  async start(request: StartRequest, safety: StartSafety): Promise<SafeStart> {
    const judged = await this.#judge(request, safety);
    const { coversRetry } = await this.#approve(judged);
    const sandbox: SandboxPolicy = safety.asksMoreRights ? { kind: 'none' } : safety.sandbox;
    const session = await this.#run(judged, sandbox, null);
    const retry =
      sandbox.kind === 'none' || !safety.mayRetry
        ? Promise.resolve<Retry>({ kind: 'none', denied: null })
        : this.#afterEnd(judged, session, coversRetry);
    return { session, retry };
  }

  async #judge(request: StartRequest, safety: StartSafety): Promise<Judged> {
    const { secondOpinion } = this.#pieces;
    const environment = this.#pieces.environmentOf(request);
    // Where it cannot be found the start will say so.
    const cwd = await realpath(request.cwd).catch(() => request.cwd);
    return {
      request,
      safety,
      environment,
      command: {
        argv: canonicalArgv(request.argv, secondOpinion),
        arg0: isOtherName(request.arg0, request.argv) ? (request.arg0 ?? null) : null,
        cwd,
        variables: variablesDigest(environment.changed),
      },
      policy: this.#pieces.policyFor(safety.client, request.workspace ?? cwd),
    };
  }

  /** Rejects when it may not run. Answers whether that also covers a run without the sandbox. */
  async #approve(judged: Judged): Promise<{ readonly coversRetry: boolean }> {
    const { request, safety, environment, policy } = judged;
    const decision = decide(
      {
        input: { kind: 'argv', argv: request.argv },
        arg0: request.arg0,
        workspace: request.workspace ?? null,
        changedVariables: environment.changed,
        // A fence with a way out that nobody but the client wished for is none.
        isSandboxed: safety.sandbox.kind !== 'none' && !safety.asksForHosts,
        asksMoreRights: safety.asksMoreRights,
      },
      policy,
      this.#pieces.secondOpinion,
    );
    const grant = decision.verdict === 'ask' ? this.#grantFor(judged, this.#sandboxKey(safety)) : null;
    this.#tell(judged, decision, grant);
    if (decision.verdict === 'forbid') {
      throw new EngineError('refused', `this command is not allowed: ${decision.why}`);
    }
    const coversRetry = () => this.#grantFor(judged, 'none') !== null;
    if (decision.verdict === 'allow' || grant !== null) {
      return { coversRetry: coversRetry() };
    }
    const offersRetry = this.#mayAskAgain(judged);
    const settled = await this.#pieces.questions.ask(
      this.#subject(judged, decision, { kind: 'start', session: null, offersRetry }),
      safety.signal,
      safety.onWaiting,
    );
    await this.#remember(judged, settled, decision.proposedRules, this.#sandboxKey(safety));
    const { answer } = settled;
    return { coversRetry: coversRetry() || ('withoutSandbox' in answer && answer.withoutSandbox) };
  }

  /** Rejects for a refusal. */
  async #remember(judged: Judged, settled: Settled, rules: readonly ApprovalRule[], sandbox: string): Promise<void> {
    const { safety, command } = judged;
    const { answer } = settled;
    if (answer.kind === 'refuse') {
      throw new EngineError('refused', refusalText(settled));
    }
    if (answer.kind === 'always') {
      await this.#pieces.addRules(safety.client, rules);
    }
    // Who was answered may have left meanwhile; then there is nothing that it could hold for.
    if (answer.kind === 'session' && safety.signal?.aborted !== true) {
      const scope = { kind: 'session', ...askerOf(safety) } as const;
      const sandboxes = new Set([sandbox, ...(answer.withoutSandbox ? ['none'] : [])]);
      for (const granted of sandboxes) {
        this.#pieces.grants.add({ ...command, sandbox: granted }, scope, settled.from ?? settled.by);
      }
    }
  }

  async #run(judged: Judged, sandbox: SandboxPolicy, retryOf: SessionId | null): Promise<SessionInfo> {
    const { safety } = judged;
    const network = sandbox.kind === 'none' ? null : await this.#pieces.openNetwork(sandbox, safety.client);
    try {
      const session = await this.#runBehind(judged, sandbox, { retryOf, networkSocket: network?.socket ?? null });
      network?.belongsTo(session.id);
      return session;
    } catch (error) {
      network?.dispose();
      throw error;
    }
  }

  async #runBehind(
    { request, safety, environment }: Judged,
    sandbox: SandboxPolicy,
    { retryOf, networkSocket }: { readonly retryOf: SessionId | null; readonly networkSocket: string | null },
  ): Promise<SessionInfo> {
    const fence = await fenceFor(
      {
        argv: request.argv,
        ...(request.arg0 === undefined ? {} : { arg0: request.arg0 }),
        cwd: request.cwd,
        environment: environment.variables,
      },
      sandbox,
      sandbox.kind === 'none' ? NOT_NEEDED : await this.#pieces.sandboxReport(),
      networkSocket,
    );
    // The id and the request's own id are the first run's.
    const { id: _id, requestId: _requestId, ...again } = request;
    const session = await this.#pieces.start(retryOf === null ? request : again, fence, { sandbox, retryOf });
    const { client, callId } = safety;
    this.#pieces.audit({
      type: 'started',
      client,
      callId,
      session: session.id,
      sandbox: sandboxText(sandbox),
      retryOf,
    });
    return session;
  }

  /** Waits for the end of the first run, and starts the second where that is due. Never rejects. */
  async #afterEnd(judged: Judged, first: SessionInfo, isCovered: boolean): Promise<Retry> {
    let denied: LikelyDenied = null;
    try {
      const { exit, output } = await this.#pieces.ended(first.id);
      denied = likelyDenied(exit, output);
      if (denied === null) {
        return { kind: 'none', denied };
      }
      this.#pieces.audit({ type: 'denied', session: first.id, why: denied });
      if (!this.#mayAskAgain(judged) || judged.safety.signal?.aborted === true) {
        return { kind: 'none', denied };
      }
      if (!isCovered) {
        await this.#askAgain(judged, first, denied);
      }
      return { kind: 'started', denied, session: await this.#run(judged, { kind: 'none' }, first.id) };
    } catch (error) {
      return error instanceof EngineError && error.code === 'refused'
        ? { kind: 'refused', denied, why: error.message }
        : { kind: 'failed', denied, error };
    }
  }

  /** Rejects with `refused` for a no. */
  async #askAgain(judged: Judged, first: SessionInfo, denied: LikelyDenied): Promise<void> {
    const decision: Decision = {
      verdict: 'ask',
      decidedBy: { kind: 'mode', mode: judged.policy.mode },
      why: `the sandbox likely denied it (${denied ?? 'unknown'}); without the sandbox it could do anything that you can`,
      ...{ doubts: [], unknown: [], proposedRules: [] },
    };
    const settled = await this.#pieces.questions.ask(
      { ...this.#subject(judged, decision, { kind: 'retry', session: first.id, offersRetry: false }), sandbox: 'none' },
      judged.safety.signal,
      judged.safety.onWaiting,
    );
    await this.#remember(judged, settled, [], 'none');
  }

  /** Only these modes say that a person is asked about a command that failed (D3). */
  #mayAskAgain({ policy, safety }: Judged): boolean {
    return (
      safety.mayRetry &&
      safety.sandbox.kind !== 'none' &&
      !safety.asksMoreRights &&
      (policy.mode === 'ask-on-failure' || policy.mode === 'ask-unless-known-safe')
    );
  }

  #grantFor({ command, safety }: Judged, sandbox: string) {
    return this.#pieces.grants.find({ ...command, sandbox }, askerOf(safety));
  }

  #sandboxKey({ sandbox, asksMoreRights }: StartSafety): string {
    return asksMoreRights ? 'none' : sandboxKey(sandbox);
  }

  #subject(
    { request, safety, environment, command }: Judged,
    { why, decidedBy, doubts, proposedRules }: Decision,
    about: Pick<QuestionSubject, 'kind' | 'session' | 'offersRetry'>,
  ): QuestionSubject {
    return {
      ...about,
      client: safety.client,
      callId: safety.callId,
      argv: request.argv,
      cwd: command.cwd,
      changedVariables: Object.keys(environment.changed).toSorted(),
      sandbox: safety.asksMoreRights ? 'none' : sandboxText(safety.sandbox),
      ...{ why, decidedBy, doubts, proposedRules },
    };
  }

  #tell({ safety: { client, callId } }: Judged, decision: Decision, grant: { readonly id: string } | null): void {
    const decidedBy = grant === null ? decision.decidedBy : ({ kind: 'grant', grant: grant.id } as const);
    const verdict = grant === null ? decision.verdict : 'allow';
    this.#pieces.audit({ type: 'decided', client, callId, verdict, why: decision.why, decidedBy });
  }
}

function askerOf({ client, clientSession, conversation }: StartSafety): Asker {
  return { client, session: clientSession, conversation };
}

/** For a start without a sandbox nobody looks whether one could be made. */
const NOT_NEEDED: SandboxReport = {
  kind: 'missing',
  missing: [{ what: 'a sandbox', why: 'nobody looked for one', install: null }],
};
