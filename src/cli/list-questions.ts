import type { Question, QuestionEvent } from '../engine/engine.ts';
import type { ControlClient } from '../protocol/control/control-client.ts';
import { withHost } from './host.ts';
import { grantText, questionText, settledText } from './question-text.ts';

/**
 * Prints what waits for a person. Answers 0; with `follow` it goes on until the host ends, and rejects then with
 * `HostUnreachable`.
 */
export async function listQuestions({
  follow,
  json,
}: {
  readonly follow: boolean;
  readonly json: boolean;
}): Promise<number> {
  return withHost('approvals', (host) => (follow ? followed(host, json) : listed(host, json)));
}

async function listed(host: ControlClient, json: boolean): Promise<number> {
  const { questions } = await host.request('questions', {});
  if (json) {
    process.stdout.write(`${JSON.stringify(questions)}\n`);
  } else if (questions.length === 0) {
    process.stderr.write('Nothing waits.\n');
  } else {
    process.stdout.write(questions.map((question) => questionText(question, Date.now())).join('\n'));
  }
  return 0;
}

async function followed(host: ControlClient, json: boolean): Promise<number> {
  const told = new Set<string>();
  const tell = (question: Question) => {
    // One that is asked while the list is on its way comes by both.
    if (!told.has(question.id)) {
      told.add(question.id);
      process.stdout.write(
        json ? `${JSON.stringify({ type: 'asked', question })}\n` : questionText(question, Date.now()),
      );
    }
  };
  const onEvent = (event: QuestionEvent) => {
    tell(event.question);
    if (event.type === 'settled') {
      told.delete(event.question.id);
      process.stdout.write(json ? `${JSON.stringify(event)}\n` : settledText(event));
    }
  };
  const gone = new Promise<never>((_resolve, reject) => {
    host.onGone = reject;
  });
  // It is awaited only after the list.
  gone.catch(() => {});
  const early: QuestionEvent[] = [];
  host.onQuestion = (event) => early.push(event);
  const { questions } = await host.request('questions', { follow: true });
  for (const question of questions) {
    tell(question);
  }
  host.onQuestion = onEvent;
  for (const event of early) {
    onEvent(event);
  }
  return gone;
}

/** Prints what was allowed for longer than once. Answers 0. */
export async function listGrants(json: boolean): Promise<number> {
  const { grants } = await withHost('approvals', (host) => host.request('grants', {}));
  if (json) {
    process.stdout.write(`${JSON.stringify(grants)}\n`);
  } else if (grants.length === 0) {
    process.stderr.write('Nothing is allowed for longer than once, but by the rules of the settings.\n');
  } else {
    process.stdout.write(grants.map((grant) => grantText(grant, Date.now())).join('\n'));
  }
  return 0;
}
