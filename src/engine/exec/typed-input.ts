import { EngineError } from '../../shared/errors.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { decide, type Decision } from '../approval/decide.ts';
import { judgeInput, type InputPlace } from '../approval/judge-input.ts';
import type { Question } from '../approval/pending-questions.ts';
import type { OrchestratorPieces } from './orchestrator.ts';
import { refusalText } from './refusal-text.ts';

/** What must be known of an agent that wants to type. */
export interface TypistSafety {
  readonly client: string;
  /** Of the call, not of the one that started the session. */
  readonly callId: string | null;
  /** Absolute path of the client's folder; null when it has none. */
  readonly workspace: string | null;
  /** The sandbox that the session runs in, for a person; null without one. */
  readonly sandbox: string | null;
  readonly signal?: AbortSignal;
  /** Told of a question about it that waits for a person. */
  readonly onWaiting?: (question: Question) => void;
}

/**
 * May an agent type this into a running session? At a prompt what it types is judged like a command, line by line as
 * the shell will read it. Resolves with what stands on the line then; null when nobody knows. Rejects with `refused`.
 */
export async function approveInput(
  session: Pick<SessionInfo, 'id' | 'cwd'>,
  bytes: Uint8Array,
  place: InputPlace,
  safety: TypistSafety,
  pieces: Pick<OrchestratorPieces, 'policyFor' | 'questions' | 'secondOpinion' | 'audit'>,
): Promise<{ readonly pendingLine: string | null }> {
  const judged = judgeInput(bytes, place);
  if (judged.kind === 'data') {
    return { pendingLine: place.pendingLine };
  }
  if (judged.kind === 'nothing-runs') {
    return { pendingLine: judged.pendingLine };
  }
  const { client, callId, workspace, sandbox } = safety;
  const policy = pieces.policyFor(client, workspace ?? session.cwd);
  // What is unclear is judged as a line that cannot be read: in the text there is one quote too many.
  const text = judged.kind === 'commands' ? judged.text : UNREADABLE;
  const decision = decide(
    {
      input: { kind: 'text', text },
      workspace,
      changedVariables: {},
      isSandboxed: sandbox !== null,
      asksMoreRights: false,
    },
    policy,
    pieces.secondOpinion,
  );
  const why = judged.kind === 'unclear' ? judged.why : decision.why;
  pieces.audit({ type: 'decided', client, callId, verdict: decision.verdict, why, decidedBy: decision.decidedBy });
  if (decision.verdict === 'forbid') {
    throw new EngineError('refused', `this input is not allowed: ${why}`);
  }
  if (decision.verdict === 'ask' && !isEmptyLine(text)) {
    await ask({ ...decision, why }, Buffer.from(bytes).toString('utf8'), session, safety, pieces);
  }
  return { pendingLine: judged.kind === 'commands' ? judged.pendingLine : null };
}

/** A lone quote, which no shell can read. */
const UNREADABLE = "'";

/** Enter on an empty line runs nothing. */
function isEmptyLine(text: string): boolean {
  return text.trim() === '';
}

async function ask(
  { why, decidedBy, doubts }: Decision,
  text: string,
  session: Pick<SessionInfo, 'id' | 'cwd'>,
  { client, callId, sandbox, signal, onWaiting }: TypistSafety,
  { questions }: Pick<OrchestratorPieces, 'questions'>,
): Promise<void> {
  const settled = await questions.ask(
    {
      ...{ kind: 'input', client, callId, session: session.id, argv: [text], cwd: session.cwd, changedVariables: [] },
      sandbox: sandbox ?? 'none',
      // A rule about a command would hold elsewhere, too, and not know what was typed before.
      ...{ why, decidedBy, doubts, proposedRules: [], offersRetry: false },
    },
    signal,
    onWaiting,
  );
  if (settled.answer.kind === 'refuse') {
    throw new EngineError('refused', refusalText(settled));
  }
}
