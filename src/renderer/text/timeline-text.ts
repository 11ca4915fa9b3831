/** How the acts on a session are put into words. */

import { oneLine, shownText } from '../../shared/shown-text.ts';
import type { Actor, Act, TimelineEntry } from '../../shared/timeline.ts';
import { bytesText } from './quantity-text.ts';
import { clientName, exitWords, failureReason } from './session-text.ts';

/** Who did it: `you`, `codex`, `Shellscope`, `the program`. */
function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'person':
      return 'you';
    case 'agent':
      return clientName(actor.client);
    case 'host':
      return 'Shellscope';
    case 'child':
      return 'the program';
    case 'terminal':
      return 'the terminal';
  }
}

/** Who or what ended a question: `you`, `you, on the command line,`, `the time limit`. */
function answererName(by: string): string {
  return ANSWERER_NAMES[by] ?? shownText(by);
}

const ANSWERER_NAMES: Readonly<Record<string, string>> = {
  window: 'you',
  'command line': 'you, on the command line,',
  'time-limit': 'the time limit',
  cancelled: 'its own end',
  policy: 'a rule',
  host: 'Shellscope',
};

const VERDICT_WORDS = { allow: 'let it run', ask: 'asked whether it may run', forbid: 'did not let it run' } as const;

const ANSWER_WORDS = {
  once: 'allowed it once',
  session: 'allowed it for this session',
  always: 'allowed it from now on',
  refuse: 'refused it',
} as const;

const HOST_REFUSAL_WORDS = {
  'not-listed': 'which its sandbox may not reach',
  'not-public': 'which has no public address',
  denied: 'which the settings deny',
} as const;

/** An act as a sentence without a stop: `codex ran npm test`, `you took the keyboard`, `codex read 2.1 kB (3 times)`. */
export function entryWords({ by, act }: Pick<TimelineEntry, 'by' | 'act'>, command: string): string {
  const who = act.kind === 'answered' ? answererName(act.by) : actorName(by);
  return `${who} ${actWords(act, command)}`;
}

function actWords(act: Act, command: string): string {
  switch (act.kind) {
    case 'started':
      return `ran ${command}`;
    case 'not-started':
      return `could not start it: ${failureReason({ failure: act.why })}`;
    case 'wrote':
      return act.bytes === null
        ? 'typed what the terminal does not show'
        : `typed ${bytesText(act.bytes)}${timesText(act.times)}`;
    case 'replied':
      return `answered the program${timesText(act.times)}`;
    case 'write-refused':
      return 'tried to type and was refused';
    case 'judged':
      return `${VERDICT_WORDS[act.verdict]}: ${shownText(act.why)}`;
    case 'answered':
      return ANSWER_WORDS[act.answer];
    case 'host-refused':
      return `kept it from ${shownText(act.host)}:${act.port}, ${HOST_REFUSAL_WORDS[act.why]}${timesText(act.times)}`;
    case 'read':
      return `read ${bytesText(act.bytes)}${timesText(act.times)}`;
    case 'took-keyboard':
      return 'took the keyboard';
    case 'gave-keyboard-back':
      return act.why === 'idle' ? 'gave the keyboard back by not typing' : 'gave the keyboard back';
    case 'resized':
      return `made it ${act.size.cols}×${act.size.rows}`;
    case 'titled':
      return act.title === null ? 'took its name away' : `named it ${oneLine(act.title)}`;
    case 'signalled':
      return `sent ${act.signal}`;
    case 'closed-input':
      return 'closed its input';
    case 'asked-to-end':
      return 'asked it to end';
    case 'hit-limit':
      return hitText(shownText(act.message).replace(/\.$/, ''));
    case 'exited':
      return exitWords(act.exit);
    case 'output-closed':
      return 'closed its output';
  }
}

/** What is kept of an earlier version says what was ended; since then the end itself is told by the session. */
function hitText(message: string): string {
  return message.startsWith('Over ') ? `found it over ${message.slice(5)}` : `ended it: ${message.replace(/^E/, 'e')}`;
}

/** Spans of input told one by one in a mark; of more the rest is counted. */
const TOLD_SPANS = 8;

/** Who put in how much, and when: `codex typed 12 B · 14:03:22`. */
export function inputWords(entries: readonly TimelineEntry[]): readonly string[] {
  const told = entries.slice(0, TOLD_SPANS).map((entry) => `${entryWords(entry, '')} · ${clockText(entry.atMs)}`);
  const others = entries.length - told.length;
  return others === 0 ? told : [...told, `and ${others} more`];
}

/** The client's own names for what it did, for a tooltip and a second line; null when there is none. */
export function entryDetail({ act }: Pick<TimelineEntry, 'act'>): string | null {
  if (act.kind !== 'started') {
    return null;
  }
  const parts = [
    act.callId === null ? null : namedId('call', shownText(act.callId)),
    act.threadId === null ? null : namedId('thread', shownText(act.threadId)),
  ];
  return parts.filter((part) => part !== null).join(' · ') || null;
}

/** `call 7`; an id that says itself what it is of stands alone: `call_7`. */
function namedId(kind: string, id: string): string {
  return new RegExp(`^${kind}[^a-z]`, 'i').test(id) ? id : `${kind} ${id}`;
}

/** That an agent was refused since the person took the keyboard; null when none was. */
export function refusalWords(entries: readonly TimelineEntry[]): string | null {
  const taken = entries.findLastIndex(({ act }) => act.kind === 'took-keyboard');
  const refused = entries.slice(taken + 1).findLast(({ act }) => act.kind === 'write-refused');
  if (refused === undefined) {
    return null;
  }
  return `${actorName(refused.by)} tried to type at ${clockText(refused.atMs)}; refused`;
}

/** The time of day, in the person's own way of writing it. */
export function clockText(atMs: number): string {
  return new Date(atMs).toLocaleTimeString(undefined, { timeStyle: 'medium' });
}

/** Day and time, in the person's own way of writing them. */
export function momentText(atMs: number): string {
  return new Date(atMs).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

function timesText(times: number): string {
  return times === 1 ? '' : ` (${times} times)`;
}
