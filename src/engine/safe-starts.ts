import type { Logger } from '../shared/logger.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import type { Act, Actor, TimelineEntry } from '../shared/timeline.ts';
import { TurnoverMap } from '../shared/turnover.ts';
import type { DecidedBy } from './approval/decide.ts';
import { Grants, type Grant } from './approval/grants.ts';
import { PendingQuestions, type Answer, type Question, type Settled } from './approval/pending-questions.ts';
import { policyFor, type ApprovalRule, type ApprovalSettings } from './approval/policy.ts';
import { noSecondOpinion, openSecondOpinion } from './approval/second-opinion.ts';
import { parseSettings, unknownSections, type Settings } from './approval/settings.ts';
import type { SecondOpinion } from './approval/shell-text.ts';
import { agentEnvironment } from './backend/agent-environment.ts';
import { childEnvironment } from './backend/child-environment.ts';
import { Orchestrator, type OpenNetwork, type OrchestratorPieces } from './exec/orchestrator.ts';
import type { SafeStart, SafetyEvent, StartSafety } from './exec/start-safety.ts';
import { approveInput } from './exec/typed-input.ts';
import { fenceWithSettings } from './fence-settings.ts';
import type { Resolve } from './network/host-gate.ts';
import { SandboxNetworks } from './network/sandbox-networks.ts';
import { planSandbox } from './sandbox/plan-sandbox.ts';
import { sandboxText, type FencePolicy } from './sandbox/sandbox-policy.ts';
import { inspectSandbox, type SandboxMachine, type SandboxReport } from './sandbox/sandbox-report.ts';
import type { SessionManager, StartRequest } from './session/session-manager.ts';
import { AuditLog } from './storage/audit-log.ts';
import { SettingsFile } from './storage/settings-file.ts';
import { thisMachine } from './this-machine.ts';

/** How agents' commands are let through. */
export interface SafetyOptions {
  /** The settings; made by the first "always". Without a file the defaults hold. */
  readonly settingsFile?: string;
  /** Where decisions are recorded; without it nowhere. */
  readonly auditFile?: string;
  /** What no fenced command may see: our own state and sockets. Absolute paths. */
  readonly hidden?: readonly string[];
  /** Where the sockets of sandboxes that may reach some hosts are made; hidden from all of them. */
  readonly networkFolder?: string;
  /** How such a sandbox finds hosts by name; default: as the system does. */
  readonly resolve?: Resolve;
  /** `wait` for a person where there is a window or a command line; else the answer at once. Default: `refuse`. */
  readonly unattended?: 'wait' | 'refuse' | 'allow';
  /** Milliseconds. */
  readonly questionTimeLimitMs?: number;
  /** What is looked at for a sandbox; default: this machine. */
  readonly machine?: SandboxMachine;
}

/** What a fence holds, as absolute paths without links. */
export interface FencePlaces {
  readonly writable: readonly string[];
  /** In them, but not to be written to. */
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

interface SafeStartsOptions extends SafetyOptions {
  readonly sessions: SessionManager;
  readonly hostEnvironment: Readonly<NodeJS.ProcessEnv>;
  readonly log: Logger;
}

/** One submission of input, beside its bytes. */
interface InputCall {
  readonly by: Actor;
  /** The client's own id of the call (D7). */
  readonly callId: string | null;
  /** Of the call: what is asked for it goes with it. */
  readonly signal?: AbortSignal;
  /** Told of a question about it that waits for a person. */
  readonly onWaiting?: (question: Question) => void;
}

/** What is known of the line that agents type on in one session. */
interface Prompt {
  /** What they left on it; null when that is not known. */
  line: string | null;
  /** How often it became unknown. */
  changes: number;
  /** Settles when all input so far has been judged. Never rejects. */
  last: Promise<void>;
}

/** Ctrl-C, Ctrl-D, Ctrl-Z and Ctrl-\\: alone they end or stop something, and run nothing. */
const ENDING_BYTES: ReadonlySet<number> = new Set([0x03, 0x04, 0x1a, 0x1c]);

/** The end of the output by which a denial is told, in bytes. */
const JUDGED_OUTPUT_BYTES = 16 * 1024;

/** The way of every agent's command: settings, approval, sandbox, and what becomes of it. */
export class SafeStarts {
  readonly questions: PendingQuestions;
  readonly #grants = new Grants({ now: Date.now });
  readonly #options: SafeStartsOptions;
  readonly #settings: SettingsFile<Settings>;
  readonly #audit: AuditLog | null;
  readonly #networks: SandboxNetworks;
  #secondOpinion: Promise<SecondOpinion> | null = null;
  #sandboxReport: Promise<SandboxReport> | null = null;
  readonly #prompts = new TurnoverMap<SessionId, Prompt>();

  constructor(options: SafeStartsOptions) {
    const { log, unattended = 'refuse', questionTimeLimitMs, settingsFile = null, auditFile } = options;
    this.#options = options;
    this.#settings = new SettingsFile({
      path: settingsFile,
      parse: parseSettings,
      // Somebody wanted something of it: not to ask would be the wrong guess.
      unknown: unknownSections,
      untilRead: parseSettings({ approvals: { mode: 'ask-unless-known-safe' } }),
      log,
    });
    this.#audit = auditFile === undefined ? null : new AuditLog(auditFile, log);
    const { networkFolder = null, resolve } = options;
    this.#networks = new SandboxNetworks({ folder: networkFolder, ...(resolve === undefined ? {} : { resolve }) });
    this.questions = new PendingQuestions({
      unattended,
      now: Date.now,
      onFault: (error) => log.error('a listener of questions failed', { why: String(error) }),
      ...(questionTimeLimitMs === undefined ? {} : { timeLimitMs: questionTimeLimitMs }),
    });
    this.questions.onEvent((event) => this.#audit?.note(event));
  }

  /** Records who put in how much into a session, and when it began: an agent, a person, or the terminal as an answer. */
  noteInputs(session: SessionId, entries: readonly TimelineEntry[]): void {
    this.#audit?.note(
      ...entries.flatMap(({ atMs, by, act, offset }) =>
        act.kind === 'wrote' || act.kind === 'replied'
          ? [{ type: 'input', session, by, began: new Date(atMs).toISOString(), ...countsOf(act), offset }]
          : [],
      ),
    );
  }

  /** Whether commands can be fenced in here; looked at once. */
  sandboxReport(): Promise<SandboxReport> {
    this.#sandboxReport ??= inspectSandbox(this.#options.machine ?? thisMachine);
    return this.#sandboxReport;
  }

  /** See `planSandbox`. */
  async places(policy: FencePolicy): Promise<FencePlaces> {
    const { hidden = [], hostEnvironment } = this.#options;
    const plan = await planSandbox({
      policy: { ...policy, hidden: [...policy.hidden, ...hidden] },
      cwd: '/',
      environment: definedOf(hostEnvironment),
    });
    const paths = (planned: typeof plan.hidden) => planned.map(({ path }) => path);
    return { writable: plan.writable, readOnly: paths(plan.readOnly), hidden: paths(plan.hidden) };
  }

  grants(): readonly Grant[] {
    return this.#grants.list();
  }

  revokeGrant(id: string): boolean {
    return this.#grants.revoke(id);
  }

  /** See `Engine.endClientSession`. */
  endClientSession(session: string): void {
    this.#grants.endSession(session);
  }

  /** See `Orchestrator.start`. What looks like a credential of the host is not inherited unless the settings say so. */
  async start(request: StartRequest, safety: StartSafety): Promise<SafeStart> {
    const { hostEnvironment, hidden = [], sessions } = this.#options;
    const { approvals, inheritedSecrets, network } = this.#settings.current;
    const { all, clients } = inheritedSecrets;
    const inheritable = [...all, ...(clients[safety.client] ?? [])];
    const environment = agentEnvironment(request.environment, hostEnvironment, inheritable).request;
    const isPlain = isNeverAsked(approvals, safety.client) && safety.sandbox.kind === 'none';
    if (isPlain || sessions.hasStarted(request)) {
      // Nothing could come of reading what it runs, or it was let through before.
      const session = await sessions.start({ ...request, environment });
      return { session, retry: Promise.resolve({ kind: 'none', denied: null }) };
    }
    const { sandbox, asksForHosts } = fenceWithSettings(safety, network, hidden);
    const acts: Act[] = [];
    const pieces = await this.#pieces((event) => acts.push(...actsOf(event)));
    const started = await new Orchestrator(pieces).start(
      { ...request, environment },
      { ...safety, sandbox, asksForHosts },
    );
    const session = sessions.get(started.session.id);
    for (const act of acts) {
      session.note({ kind: 'host' }, act);
    }
    return started;
  }

  /**
   * Rejects with `refused` for what an agent may not type. Null where nothing is asked and nothing looked at: for a person,
   * and for a client that is never asked and of which no rule says anything. Then the input can go on at once. Several
   * inputs of one session are judged one after the other, since each stands behind what the one before it left.
   */
  approvalOfInput(info: SessionInfo, bytes: Uint8Array, { by, ...call }: InputCall): Promise<void> | null {
    if (by.kind !== 'agent') {
      this.lineIsUnknown(info.id);
      return null;
    }
    const { client } = by;
    if (isNeverAsked(this.#settings.current.approvals, client)) {
      return null;
    }
    const prompt = this.#promptOf(info.id);
    const approve = () => this.#approveInput(info.id, bytes, { client, ...call });
    // Ctrl-C and its like have to pass what waits for a person.
    const approved = bytes.every((byte) => ENDING_BYTES.has(byte)) ? approve() : prompt.last.then(approve);
    prompt.last = Promise.allSettled([prompt.last, approved]).then(() => {});
    return approved;
  }

  async #approveInput(
    id: SessionId,
    bytes: Uint8Array,
    call: Omit<InputCall, 'by'> & { readonly client: string },
  ): Promise<void> {
    const pieces = await this.#pieces(() => {});
    // As it is now: it may have waited behind another input.
    const { info } = this.#options.sessions.get(id);
    const prompt = this.#promptOf(id);
    const { changes } = prompt;
    const place = {
      waitingFor: info.waitingFor,
      pendingLine: prompt.line,
      isShellSession: isShell(info.argv),
    };
    const safety = { workspace: null, sandbox: info.sandbox, ...call };
    const { pendingLine } = await approveInput(info, bytes, place, safety, pieces);
    // A person may have typed while it was asked.
    prompt.line = prompt.changes === changes ? pendingLine : null;
  }

  #promptOf(id: SessionId): Prompt {
    const prompt = this.#prompts.get(id) ?? { line: '', changes: 0, last: Promise.resolve() };
    this.#prompts.set(id, prompt);
    return prompt;
  }

  /** Somebody typed that is not judged, or what was judged did not get there. */
  lineIsUnknown(id: SessionId): void {
    if (!this.#options.sessions.has(id)) {
      return;
    }
    const prompt = this.#promptOf(id);
    prompt.line = null;
    prompt.changes += 1;
  }

  forget(id: SessionId): void {
    this.#prompts.delete(id);
  }

  /** A person's answer; see `PendingQuestions.answer`. */
  answer(id: string, answer: Answer, from: string): boolean {
    return this.questions.answer(id, answer, from);
  }

  dispose(): void {
    this.#networks.dispose();
    this.questions.dispose();
  }

  async #pieces(
    onEvent: (event: SafetyEvent | { readonly type: 'answered'; readonly settled: Settled }) => void,
  ): Promise<OrchestratorPieces> {
    const { sessions, hostEnvironment, log } = this.#options;
    this.#secondOpinion ??= openSecondOpinion().catch((error: unknown) => {
      log.warn('the second parser cannot be loaded: no command is known to be safe', { why: String(error) });
      return noSecondOpinion;
    });
    const questions = this.questions;
    return {
      secondOpinion: await this.#secondOpinion,
      questions: Object.assign(Object.create(questions) as PendingQuestions, {
        ask: async (...asked: Parameters<PendingQuestions['ask']>) => {
          const settled = await questions.ask(...asked);
          onEvent({ type: 'answered', settled });
          return settled;
        },
      }),
      grants: this.#grants,
      start: (asked, fence, { sandbox, retryOf }) =>
        sessions.start(asked, {
          ...fence,
          sandbox: sandbox.kind === 'none' ? null : sandboxText(sandbox),
          retryOf,
        }),
      ended: async (id) => {
        await sessions.wait({ condition: { kind: 'closed', session: id }, timeoutMs: Number.POSITIVE_INFINITY });
        const session = sessions.get(id);
        const from = Math.max(0, session.info.outputBytes - JUDGED_OUTPUT_BYTES);
        const { pieces } = await session.output.readable(from, JUDGED_OUTPUT_BYTES);
        return {
          exit: session.info.exit ?? { exitCode: null, signal: null },
          output: Buffer.concat(pieces.map(({ bytes }) => bytes)).toString(),
        };
      },
      environmentOf: ({ environment }) => {
        const { variables } = childEnvironment(environment, hostEnvironment);
        const changed = Object.entries(variables).filter(([name, value]) => hostEnvironment[name] !== value);
        return { variables, changed: Object.fromEntries(changed) };
      },
      policyFor: (client, folder) => policyFor(this.#settings.current.approvals, client, folder),
      addRules: async (client, rules) => this.#addRules(client, rules),
      sandboxReport: () => this.sandboxReport(),
      openNetwork: (fence, client) => this.#openNetwork(fence, client),
      audit: (event) => {
        this.#audit?.note(event);
        onEvent(event);
      },
    };
  }

  async #openNetwork({ network: hosts }: FencePolicy, client: string): Promise<OpenNetwork | null> {
    if (typeof hosts === 'string') {
      return null;
    }
    const { sessions } = this.#options;
    const network = await this.#networks.open(hosts);
    return {
      socket: network.socket,
      dispose: () => network.dispose(),
      belongsTo: (session) => {
        network.tellTo((refused) => {
          this.#audit?.note({ type: 'host-refused', client, session, ...refused });
          if (sessions.has(session)) {
            sessions.get(session).note({ kind: 'host' }, { kind: 'host-refused', ...refused });
          }
        });
        const ended = sessions.wait({ condition: { kind: 'exit', session }, timeoutMs: Number.POSITIVE_INFINITY });
        // A session that is forgotten has ended as well.
        void ended.catch(() => {}).then(() => network.dispose());
      },
    };
  }

  #addRules(client: string, rules: readonly ApprovalRule[]): void {
    this.#settings.change(['approvals', 'clients', client, 'rules'], ({ approvals }) => [
      ...(Object.hasOwn(approvals.clients, client) ? (approvals.clients[client]?.rules ?? []) : []),
      ...rules,
    ]);
  }
}

/** Of what is typed while the terminal does not show it there is none. */
function countsOf({ times, bytes }: { readonly times: number; readonly bytes: number | null }): object {
  return bytes === null ? { hidden: true } : { times, bytes };
}

/** What of it belongs into the timeline of the session that it is about. */
function actsOf(event: SafetyEvent | { readonly type: 'answered'; readonly settled: Settled }): readonly Act[] {
  switch (event.type) {
    case 'decided':
      return [{ kind: 'judged', verdict: event.verdict, why: event.why, decidedBy: decidedByText(event.decidedBy) }];
    case 'answered':
      return [{ kind: 'answered', answer: event.settled.answer.kind, by: event.settled.from ?? event.settled.by }];
    case 'started':
    case 'denied':
    case 'host-refused':
      return [];
  }
}

function decidedByText(decidedBy: DecidedBy | { readonly kind: 'grant'; readonly grant: string }): string {
  return decidedBy.kind === 'grant' ? decidedBy.grant : decidedBy.kind;
}

/** True when nothing that this client does is asked about anywhere: then nothing is looked at, either. */
function isNeverAsked(approvals: ApprovalSettings, client: string): boolean {
  const { mode, rules } = policyFor(approvals, client, null);
  return mode === 'never-ask' && rules.length === 0 && Object.keys(approvals.workspaces).length === 0;
}

function isShell(argv: readonly string[]): boolean {
  return /(^|\/)(ba|z|fi|da|k|a)?sh$/.test(argv[0] ?? '');
}

function definedOf(environment: Readonly<NodeJS.ProcessEnv>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
