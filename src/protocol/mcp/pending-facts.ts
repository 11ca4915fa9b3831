import type { Question } from '../../engine/engine.ts';
import type { ResultOf } from './mcp-result.ts';

/** A question that stands, and by which id a call goes on waiting for it. */
export interface Pending {
  readonly requestId: string;
  readonly question: Question;
}

/** What waits for a person's word. */
export function approvalFacts({ requestId, question }: Pending): NonNullable<ResultOf<'started'>['approval']> {
  return {
    state: 'pending',
    request_id: requestId,
    why: question.why,
    until: question.until === null ? null : new Date(question.until).toISOString(),
  };
}

/** What to do while nobody has answered. */
export function pendingHint({ requestId }: Pending): string {
  return `nothing has run: a person is asked first; the same call with request_id ${JSON.stringify(requestId)} waits for the answer and tells what became of it`;
}

/** The answer about a session that is not there yet. */
export function pendingStart(pending: Pending, warnings: readonly string[]): ResultOf<'started'> {
  const { sandbox } = pending.question;
  return {
    session_id: null,
    state: 'pending',
    exit: null,
    exit_code: null,
    waiting: null,
    control: 'agent',
    last_human: null,
    survivors: [],
    attention: null,
    sandbox: sandbox === 'none' ? null : sandbox,
    sandbox_denied: false,
    retry_of: null,
    output_resource: null,
    hint: pendingHint(pending),
    cursor: null,
    next_cursor: null,
    dropped_bytes: 0,
    omitted_bytes: 0,
    truncated: false,
    output: '',
    untrusted: true,
    warnings: [...warnings],
    approval: approvalFacts(pending),
  };
}
