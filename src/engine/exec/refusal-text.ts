import type { Settled } from '../approval/pending-questions.ts';

/** What an agent is told whose question was answered with no. */
export function refusalText({ answer, by }: Settled): string {
  const words = answer.kind === 'refuse' && answer.words !== null ? `: ${answer.words}` : '';
  switch (by) {
    case 'person':
      return `a person refused this command${words}`;
    case 'time-limit':
      return 'nobody answered in time whether this command may run';
    case 'cancelled':
      return 'the call was cancelled before anybody answered whether this command may run';
    case 'policy':
      return 'this command would have to be asked about, and nobody watches this host';
    case 'host':
      return `this command was not asked about${words}`;
  }
}
