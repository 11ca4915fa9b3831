import type { BudgetHit } from '../../shared/budget.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { SessionInfo, WaitingFor } from '../../shared/session.ts';
import type { SessionFacts } from './mcp-result.ts';

/** A process that outlived its session's child. */
export interface Survivor {
  readonly pid: number;
  readonly command: string;
}

/** The facts of a session as every answer has them. */
export function sessionFacts(
  session: SessionInfo,
  { survivors, isDenied }: { readonly survivors: readonly Survivor[]; readonly isDenied: boolean },
): SessionFacts {
  const { exit, endedBy, endedAtMs, waitingFor, attention, lastHold } = session;
  return {
    session_id: session.id,
    state: session.state,
    exit:
      exit === null
        ? null
        : {
            code: exit.exitCode,
            signal: exit.signal,
            by: endedBy,
            at: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
          },
    exit_code: exit?.exitCode ?? null,
    waiting:
      waitingFor === null
        ? null
        : { class: waitingFor.kind, program: waitingFor.program, pid: waitingFor.pid, echo: waitingFor.echo },
    control: session.keyboard === 'person' ? 'human' : 'agent',
    last_human:
      lastHold === null
        ? null
        : {
            since: new Date(lastHold.sinceMs).toISOString(),
            until: new Date(lastHold.untilMs).toISOString(),
            cursor: cursorText({ epoch: session.epoch, offset: lastHold.fromOffset }),
          },
    survivors: survivors.map(({ pid, command }) => ({ pid, command })),
    attention: attention === null ? null : { id: attention.id, kind: attention.kind, message: attention.message },
    sandbox: session.sandbox,
    sandbox_denied: isDenied,
    retry_of: session.retryOf,
    output_resource: outputResource(session.id),
    hint: hintOf(session, survivors) ?? (isDenied ? 'its sandbox likely denied it' : null),
  };
}

/** An epoch's first digits tell a session's own cursors from others'; the rest is only long. */
export function cursorText({ epoch, offset }: OutputCursor): string {
  return `${epoch.slice(0, 8)}:${offset}`;
}

/** Address of the resource with all output that is retained of a session. */
export function outputResource(id: string): string {
  return `shell://session/${encodeURIComponent(id)}/output`;
}

function hintOf(session: SessionInfo, survivors: readonly Survivor[]): string | null {
  if (session.limitHit !== null) {
    return limitHint(session.limitHit);
  }
  if (session.failure !== null) {
    return `it could not be started: ${session.failure}`;
  }
  if (session.exit !== null) {
    return survivors.length === 0 ? null : 'processes outlived the command: shell_close ends them';
  }
  if (session.keyboard === 'person') {
    return 'a person is typing into it: wait until control is back with you, and read what happened; Ctrl-C always passes';
  }
  return session.waitingFor === null ? null : waitingHint(session.waitingFor);
}

function limitHint({ limit, ended }: BudgetHit): string {
  switch (ended) {
    case 'child':
      return `it was ended by its budget (${limit})`;
    case 'survivors':
      return `it ended by itself, and its budget (${limit}) ended what outlived it`;
    case 'nothing':
      return `it went over its budget (${limit}), and had ended before that could end it`;
    case null:
      return `it is over its budget (${limit}) and is being ended`;
  }
}

function waitingHint({ kind }: WaitingFor): string | null {
  switch (kind) {
    case 'password':
      return 'it waits for a password: ask a person with shell_request_human, kind secret; never guess one';
    case 'line':
    case 'repl':
    case 'input':
      return 'it waits for a line: shell_write with text and submit';
    case 'pager':
      return 'it waits for keys in a pager: shell_read with view screen shows it, the key q leaves it';
    case 'keys':
      return 'it waits for keys: shell_read with view screen shows it, shell_write with keys drives it';
    case 'busy':
      return 'it is working: shell_wait or shell_read later; nothing is lost';
    case 'unknown':
      return null;
  }
}
