import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { foundWords } from '../session-text.ts';
import { useWindowModel, useWindowState } from '../window-model.ts';
import { ArrowDownIcon, ArrowUpIcon, CloseIcon } from './icons.tsx';

/** Finds text in one session's pane, the newest first. */
export function FindBar({ session }: { readonly session: SessionInfo }): ReactNode {
  const times = useWindowState(({ finding }) => (finding?.id === session.id ? finding.times : null));
  return times === null ? null : <OpenBar session={session} times={times} />;
}

function OpenBar({ session, times }: { readonly session: SessionInfo; readonly times: number }): ReactNode {
  const { controller, deck } = useWindowModel();
  const [query, setQuery] = useState('');
  const found = useStore(deck.found, (all) => (query === '' ? null : (all.get(session.id) ?? null)));
  const input = useRef<HTMLInputElement>(null);
  // Each time that it is asked for, the keyboard comes to it.
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [times]);
  useEffect(() => () => deck.find(session.id, '', 'older'), [deck, session.id]);

  const close = (): void => {
    controller.panels.endFind();
    controller.select(session.id, 'to-pane');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    } else if (event.key === 'Enter' && event.target === input.current) {
      event.preventDefault();
      deck.find(session.id, query, event.shiftKey ? 'newer' : 'older');
    }
  };
  return (
    <div className="find-bar" role="search" aria-label="Find in this pane" data-region="find" onKeyDown={onKeyDown}>
      <input
        ref={input}
        type="search"
        aria-label="Find"
        placeholder="Find"
        data-region-target=""
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          deck.find(session.id, target.value, 'older');
        }}
      />
      <p role="status">{found === null ? '' : foundWords(found)}</p>
      <button
        type="button"
        className="icon-button"
        aria-label="Previous match"
        title="Previous match (Enter)"
        onClick={() => deck.find(session.id, query, 'older')}
      >
        <ArrowUpIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Next match"
        title="Next match (Shift+Enter)"
        onClick={() => deck.find(session.id, query, 'newer')}
      >
        <ArrowDownIcon />
      </button>
      <button type="button" className="icon-button" aria-label="Close find" title="Close (Escape)" onClick={close}>
        <CloseIcon />
      </button>
    </div>
  );
}
