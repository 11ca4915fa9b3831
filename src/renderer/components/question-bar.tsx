import { Fragment, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { ShownQuestion } from '../../shared/approval.ts';
import { shownText } from '../../shared/shown-text.ts';
import { questionSentence } from '../text/question-text.ts';
import { commandText } from '../text/session-text.ts';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { InOrder } from './in-order.tsx';
import { QuotedWords } from './quoted-words.tsx';
import { WholeWords } from './whole-words.tsx';

/**
 * What agents may not do before a person has said so, the oldest first. Not modal, and it never takes the keyboard:
 * whoever types into a terminal answers nothing by it. The key `answer-question` leads here, to the answer that changes
 * nothing.
 */
export function QuestionBar(): ReactNode {
  const { deck, questions: store } = useWindowModel();
  const questions = useStore(store);
  const selected = useWindowState((state) => state.selected);
  const isEmpty = questions.length === 0;
  const bar = useRef<HTMLElement>(null);

  // Away from the line that she types in. Once, when the first question comes or she goes elsewhere, not as she types.
  useLayoutEffect(() => {
    if (!isEmpty && bar.current !== null) {
      const isUpper = selected !== null && deck.cursorHalf(selected) === 'upper';
      bar.current.dataset['edge'] = isUpper ? 'bottom' : 'top';
    }
  }, [deck, isEmpty, selected]);

  return (
    <section
      className="question-bar"
      ref={bar}
      aria-label="Questions of agents"
      data-region="questions"
      data-region-request=""
      data-empty={isEmpty || undefined}
    >
      {/* Present from the start, so that what appears in it is announced. */}
      <p role="status" className="visually-hidden">
        {questions.map(questionSentence).join('. ')}
      </p>
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </section>
  );
}

function QuestionCard({ question }: { readonly question: ShownQuestion }): ReactNode {
  const { controller } = useWindowModel();
  const headingId = useId();
  const rulesId = useId();
  const [isSaying, setSaying] = useState(false);
  const [withoutSandbox, setWithoutSandbox] = useState(false);
  const { id, argv, offersRetry } = question;
  const rules = question.rules.map(shownText);
  const answer = (kind: 'once' | 'session') => void controller.answers.answer(id, { kind, withoutSandbox });
  return (
    <article className="question" aria-labelledby={headingId} data-question-id={id}>
      <h2 id={headingId}>{questionSentence(question)}</h2>
      <pre className="question-command">
        <code>
          {question.kind === 'input' ? (
            <InOrder text={shownText(JSON.stringify(argv[0] ?? ''))} />
          ) : (
            <WholeWords text={commandText({ argv })} />
          )}
        </code>
      </pre>
      <Facts question={question} rulesId={rulesId} />
      {offersRetry ? (
        <label>
          <input
            type="checkbox"
            checked={withoutSandbox}
            onChange={(event) => setWithoutSandbox(event.target.checked)}
          />{' '}
          Also without its sandbox, should that deny it
        </label>
      ) : null}
      <div className="actions">
        <button type="button" data-region-target="" onClick={() => controller.answers.refuse(id, null)}>
          Refuse
        </button>
        <button type="button" aria-expanded={isSaying} onClick={() => setSaying(!isSaying)}>
          Refuse and say why…
        </button>
        <button type="button" onClick={() => answer('once')}>
          Allow once
        </button>
        <button type="button" onClick={() => answer('session')}>
          Allow for this session
        </button>
        {rules.length === 0 ? null : (
          <button
            type="button"
            // Nobody allows for good what she cannot read: the rules stand whole among the facts.
            aria-describedby={rulesId}
            onClick={() => void controller.answers.answer(id, { kind: 'always' })}
          >
            Always allow
          </button>
        )}
      </div>
      {isSaying ? <Words onSay={(words) => controller.answers.refuse(id, words)} /> : null}
    </article>
  );
}

function Facts({
  question,
  rulesId,
}: {
  readonly question: ShownQuestion;
  /** Of the rules that `Always allow` would write. */
  readonly rulesId: string;
}): ReactNode {
  const { cwd, changedVariables, sandbox, why, until } = question;
  const rules = question.rules.map(shownText);
  return (
    <dl className="question-facts">
      <dt>Folder</dt>
      <dd>
        <code>
          <InOrder text={shownText(cwd)} />
        </code>
      </dd>
      <dt>Sandbox</dt>
      <dd>
        <InOrder text={shownText(sandbox)} />
      </dd>
      {changedVariables.length === 0 ? null : (
        <>
          <dt>Changed variables</dt>
          <dd>
            {changedVariables.map((name, index) => (
              <Fragment key={name}>
                {index === 0 ? '' : ', '}
                <InOrder text={shownText(name)} />
              </Fragment>
            ))}
          </dd>
        </>
      )}
      <dt>Reason</dt>
      <dd>
        <QuotedWords text={shownText(why)} />
      </dd>
      {rules.length === 0 ? null : (
        <>
          <dt>Always allow adds</dt>
          <dd id={rulesId}>
            {[...new Set(rules)].map((rule) => (
              <code key={rule} className="question-rule">
                <InOrder text={rule} />
              </code>
            ))}
          </dd>
        </>
      )}
      {until === null ? null : (
        <>
          <dt>Without an answer</dt>
          <dd>refused at {new Date(until).toLocaleTimeString(undefined, { timeStyle: 'short' })}</dd>
        </>
      )}
    </dl>
  );
}

/** A word to the agent, with the refusal. */
function Words({ onSay }: { readonly onSay: (words: string) => void }): ReactNode {
  const [words, setWords] = useState('');
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && words.trim() !== '') {
      event.preventDefault();
      onSay(words);
    }
  };
  return (
    <div className="question-words">
      <input
        autoFocus
        aria-label="What the agent is told"
        placeholder="What the agent is told"
        maxLength={2_000}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" disabled={words.trim() === ''} onClick={() => onSay(words)}>
        Refuse and send
      </button>
    </div>
  );
}
