import type { ListedGrant, Question, QuestionEvent } from '../engine/engine.ts';
import { commandText } from '../shared/session-words.ts';
import { shownText } from '../shared/shown-text.ts';
import { ageText } from './duration.ts';

const WANTS = {
  start: 'wants to run',
  retry: 'wants to run again, without its sandbox',
  input: 'wants to type',
} as const;

/** A question with all that a person must know to answer it, over some lines. `nowMs`: Unix time in milliseconds. */
export function questionText(question: Question, nowMs: number): string {
  const { id, client, kind, argv, cwd, changedVariables, sandbox, why, decidedBy, callId, session, until } = question;
  const left = until === null ? 'no time limit' : `${ageText(until - nowMs)} left`;
  const rows = [
    [kind === 'input' ? 'input' : 'command', kind === 'input' ? JSON.stringify(argv.join(' ')) : commandText(question)],
    ['in', cwd],
    ['session', session],
    ['variables', changedVariables.join(' ')],
    ['sandbox', sandbox],
    ['why', why],
    ['rule', decidedBy.kind === 'rule' ? ruleText(decidedBy.rule) : null],
    ['always', question.proposedRules.map(ruleText).join('; ')],
    ['call', callId],
  ] as const;
  return (
    `${shownText(id)}  ${shownText(client)} ${WANTS[kind]}  (${left})\n` +
    rows
      .filter(([, text]) => text !== null && text !== '')
      .map(([name, text]) => `  ${name.padEnd(9)}  ${shownText(text ?? '')}\n`)
      .join('')
  );
}

const ENDED_BY = {
  person: 'a person',
  'time-limit': 'its time limit',
  cancelled: 'the end of its call',
  policy: 'the policy',
  host: 'the host',
} as const;

/** How a question was settled, as one line. */
export function settledText({ question, settled }: Extract<QuestionEvent, { readonly type: 'settled' }>): string {
  const { answer, by, from } = settled;
  const said = answer.kind === 'refuse' ? 'refused' : `allowed (${answer.kind})`;
  const words = answer.kind === 'refuse' && answer.words !== null ? `: ${shownText(answer.words)}` : '';
  return `${shownText(question.id)}  ${said} by ${ENDED_BY[by]}${from === null ? '' : ` (${from})`}${words}\n`;
}

/** What was allowed for longer than once, over some lines. */
export function grantText(grant: ListedGrant, nowMs: number): string {
  const { id, scope, cwd, sandboxText, by, at } = grant;
  const where =
    scope.kind === 'client' || scope.conversation === null ? '' : `in the conversation ${scope.conversation}, `;
  const held = `${where}${scope.kind === 'client' ? 'for good' : 'until this client leaves'}`;
  return (
    `${id}  ${shownText(scope.client)}, ${shownText(held)}, by ${by}, ${ageText(nowMs - at)} ago\n` +
    `  command    ${commandText(grant)}\n  in         ${shownText(cwd)}\n  sandbox    ${shownText(sandboxText)}\n`
  );
}

function ruleText({ decision, words, match, reason }: Question['proposedRules'][number]): string {
  const command = words.map((word) => (typeof word === 'string' ? word : `{${word.join(',')}}`)).join(' ');
  return `${decision} ${command}${match === 'prefix' ? ' …' : ''} (${reason})`;
}
