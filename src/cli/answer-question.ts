import { withHost } from './host.ts';

/** How long a yes holds. */
export type AllowFor = 'once' | 'session' | 'always';

interface AllowOptions {
  readonly for: AllowFor;
  readonly withoutSandbox: boolean;
}

/** Says yes to a question. Answers 0; rejects with the host's words when it cannot be answered so. */
export async function allowQuestion(id: string, options: AllowOptions): Promise<number> {
  const kind = options.for;
  const answer = kind === 'always' ? { kind } : { kind, withoutSandbox: options.withoutSandbox };
  await withHost('approvals', (host) => host.request('answer', { question: idOf('question', id), answer }));
  return 0;
}

/** Says no to a question, with a word to the agent or without. Answers 0. */
export async function refuseQuestion(id: string, words: string | null): Promise<number> {
  await withHost('approvals', (host) =>
    host.request('answer', { question: idOf('question', id), answer: { kind: 'refuse', words } }),
  );
  return 0;
}

/** Takes back what was allowed. Rejects when nothing of that id is remembered. */
export async function revokeGrant(id: string): Promise<void> {
  await withHost('approvals', (host) => host.request('revoke', { grant: idOf('grant', id) }));
}

function idOf(kind: 'question' | 'grant', text: string): string {
  return /^\d+$/.test(text) ? `${kind}-${text}` : text;
}
