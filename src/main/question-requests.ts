import type { Engine, Question } from '../engine/engine.ts';
import type { ShownQuestion } from '../shared/approval.ts';
import type { Handlers } from './ipc-router.ts';

/** Where a person answered, in the audit log. */
const FROM = 'window';

/** The window's side of approvals: what waits, and the answers. */
export function questionRequests(engine: Engine): Pick<Handlers, 'questions/list' | 'questions/answer'> {
  return {
    'questions/list': () => shownQuestions(engine),
    'questions/answer': async (_sender, id, answer) => ({
      // Three kinds of one shape are not told apart by a spread.
      answered: await engine.answerQuestion(id, answer, FROM),
    }),
  };
}

/** Tells what waits, whenever that changes. */
export function tellQuestions(engine: Engine, tell: (questions: readonly ShownQuestion[]) => void): void {
  engine.onQuestion(() => {
    // A question is told of before it is in the list.
    setImmediate(() => {
      void shownQuestions(engine).then((questions) => {
        tell(questions);
      });
    });
  });
}

async function shownQuestions(engine: Engine): Promise<readonly ShownQuestion[]> {
  return (await engine.questions()).map(shown);
}

function shown(question: Question): ShownQuestion {
  const { id, kind, client, session, argv, cwd, changedVariables, sandbox, why, proposedRules, offersRetry, until } =
    question;
  return {
    ...{ id, kind, client, session, argv, cwd, changedVariables, sandbox, why, offersRetry, until },
    rules: proposedRules.map(({ decision, words, match }) => {
      const texts = words.map((word) => (typeof word === 'string' ? word : `{${word.join(', ')}}`));
      return `${decision} ${texts.join(' ')}${match === 'prefix' ? ' …' : ''}`;
    }),
  };
}
