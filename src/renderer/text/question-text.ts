import type { ShownQuestion } from '../../shared/approval.ts';
import { clientName } from './session-text.ts';

/** What is asked, in one sentence. */
export function questionSentence({ kind, client }: Pick<ShownQuestion, 'kind' | 'client'>): string {
  const name = clientName(client);
  switch (kind) {
    case 'start':
      return `${name} wants to run a command`;
    case 'retry':
      return `${name} wants to run a command again, without its sandbox`;
    case 'input':
      return `${name} wants to type into a session`;
  }
}

/** How many wait, for the status bar. */
export function questionCount(count: number): string {
  return count === 1 ? '1 question waits for you' : `${count} questions wait for you`;
}
