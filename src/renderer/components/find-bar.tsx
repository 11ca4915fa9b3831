import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { MAX_FIND_LENGTH, type FindQuery } from '../../shared/output-search.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { findWords, goneWords } from '../earlier/find-words.ts';
import { NO_MATCHES } from '../earlier/pane-finder.ts';
import { usePaneWords, useWindowModel, useWindowState } from '../window/window-model.ts';
import { ArrowDownIcon, ArrowUpIcon, CloseIcon, MatchCaseIcon, WholeWordIcon } from './icons.tsx';

/** Keys as VS Code has them: by their place on the keyboard, since Alt with a letter is a sign on macOS. */
const TOGGLES = [
  { name: 'matchCase', label: 'Match case', Icon: MatchCaseIcon, key: 'C' },
  { name: 'wholeWord', label: 'Whole word', Icon: WholeWordIcon, key: 'W' },
] as const;

/** Finds text in one session's pane and in all that was printed before, the newest first. */
export function FindBar({ session }: { readonly session: SessionInfo }): ReactNode {
  const times = useWindowState(({ finding }) => finding.get(session.id) ?? null);
  return times === null ? null : <OpenBar session={session} times={times} />;
}

function OpenBar({ session, times }: { readonly session: SessionInfo; readonly times: number }): ReactNode {
  const { controller, deck, finder } = useWindowModel();
  const [query, setQuery] = useState<FindQuery>({ text: '', ...finder.toggles });
  const found = useStore(deck.found, (all) => all.get(session.id) ?? null);
  const matches = useStore(finder.store, (all) => all.get(session.id) ?? NO_MATCHES);
  const words = query.text === '' ? '' : findWords(found, matches);
  const input = useRef<HTMLInputElement>(null);
  const paneWords = usePaneWords(session.id);
  // Each time that it is asked for, the keyboard comes to it.
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [times]);
  useEffect(() => () => finder.end(session.id), [finder, session.id]);

  const look = (change: Partial<FindQuery>): void => {
    const next = { ...query, ...change };
    setQuery(next);
    finder.look(session.id, next);
  };
  const close = (): void => {
    controller.panels.endFind(session.id);
    controller.select(session.id, 'to-pane');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const toggle = TOGGLES.find(({ key }) => event.altKey && !event.ctrlKey && event.code === `Key${key}`);
    if (event.key === 'Escape') {
      event.preventDefault();
      if (!controller.earlier.back(session.id)) {
        close();
      }
    } else if (toggle !== undefined) {
      event.preventDefault();
      look({ [toggle.name]: !query[toggle.name] });
    } else if (event.key === 'Enter' && event.target === input.current) {
      event.preventDefault();
      finder.step(session.id, event.shiftKey ? 'newer' : 'older');
    }
  };
  return (
    <div
      className="find-bar"
      role="search"
      aria-label={`Find in this pane${paneWords}`}
      data-region="find"
      onKeyDown={onKeyDown}
    >
      <input
        ref={input}
        type="search"
        aria-label="Find"
        placeholder="Find"
        data-region-target=""
        maxLength={MAX_FIND_LENGTH}
        value={query.text}
        onChange={({ target }) => look({ text: target.value })}
      />
      {TOGGLES.map(({ name, label, Icon, key }) => (
        <button
          key={name}
          type="button"
          className="icon-button find-toggle"
          aria-label={label}
          aria-pressed={query[name]}
          title={`${label} (Alt+${key})`}
          onClick={() => look({ [name]: !query[name] })}
        >
          <Icon />
        </button>
      ))}
      <p role="status" title={goneWords(matches) ?? undefined}>
        {words}
      </p>
      <button
        type="button"
        className="icon-button"
        aria-label="Previous match"
        title="Previous match (Enter)"
        onClick={() => finder.step(session.id, 'older')}
      >
        <ArrowUpIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Next match"
        title="Next match (Shift+Enter)"
        onClick={() => finder.step(session.id, 'newer')}
      >
        <ArrowDownIcon />
      </button>
      <button type="button" className="icon-button" aria-label="Close find" title="Close (Escape)" onClick={close}>
        <CloseIcon />
      </button>
    </div>
  );
}
