import type { PersonAnswer } from '../engine/engine.ts';
import { clientName, sessionTitle } from '../shared/session-words.ts';
import type { SessionInfo } from '../shared/session.ts';
import { shownText } from '../shared/shown-text.ts';
import { CliError } from './cli-error.ts';
import { ageText } from './duration.ts';
import { findSession, withHost } from './host.ts';

/** Prints what agents ask a person to do, the first to ask first. Answers 0. */
export async function listAttention(json: boolean): Promise<number> {
  return withHost('attention', async (host) => {
    const { sessions } = await host.request('list', {});
    const wanting = sessions
      .flatMap((session) => (session.attention === null ? [] : [{ ...session, attention: session.attention }]))
      .toSorted((one, other) => one.attention.askedAtMs - other.attention.askedAtMs);
    if (json) {
      process.stdout.write(`${JSON.stringify(wanting.map(({ id, attention }) => ({ session: id, ...attention })))}\n`);
    } else if (wanting.length === 0) {
      process.stderr.write('No agent asks for anything.\n');
    } else {
      process.stdout.write(wanting.map((session) => wishText(session, Date.now())).join(''));
    }
    return 0;
  });
}

/** Tells the agent of a session what became of its wish. Answers 0; rejects when that session wants nothing any more. */
export async function answerAttention(text: string, answer: PersonAnswer): Promise<number> {
  await withHost('attention', async (host) => {
    const { id, attention } = await findSession(host, text);
    if (attention === null) {
      throw new CliError(`session ${id} wants nothing of a person: \`shellscope attention\` lists those that do`);
    }
    await host.request('answer-attention', { session: id, attention: attention.id, ...answer });
  });
  return 0;
}

type Wanting = SessionInfo & { readonly attention: NonNullable<SessionInfo['attention']> };

function wishText(session: Wanting, nowMs: number): string {
  const { id, origin, attention } = session;
  const who = origin.kind === 'agent' ? clientName(origin.client) : 'you';
  const what = attention.kind === 'secret' ? 'to type something that it may not know' : 'you';
  const left = ageText(attention.untilMs - nowMs);
  return (
    `${shownText(id)}  ${shownText(who)} asks ${what}  (${left} left)\n` +
    `  session  ${shownText(sessionTitle(session))}\n` +
    `  wish     ${shownText(attention.message)}\n`
  );
}
