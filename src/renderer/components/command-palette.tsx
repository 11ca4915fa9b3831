import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { keyLabel } from '../app-keys.ts';
import { paletteItems, type PaletteItem } from '../palette-items.ts';
import { useSessions, useWindowModel, useWindowState } from '../window-model.ts';

/** Every action by name, over everything else. */
export function CommandPalette(): ReactNode {
  const isOpen = useWindowState((state) => state.isPaletteOpen);
  return isOpen ? <OpenPalette /> : null;
}

function OpenPalette(): ReactNode {
  const { controller, platform } = useWindowModel();
  const sessions = useSessions();
  const state = useWindowState((all) => all);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  // Where the keyboard was, and goes back to before anything is done.
  const [before] = useState(() => document.activeElement);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const items = paletteItems(sessions, state, query);
  const current = Math.min(active, items.length - 1);

  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const leave = (): void => {
    controller.setPaletteOpen(false);
    if (before instanceof HTMLElement && before.isConnected && before !== document.body) {
      before.focus();
    } else {
      controller.toSelectedPane();
    }
  };
  const run = (item: PaletteItem | undefined): void => {
    if (item === undefined) {
      return;
    }
    leave();
    if (item.kind === 'command') {
      controller.runCommand(item.command);
    } else {
      controller.select(item.session, 'to-pane');
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const count = items.length;
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => setActive(count === 0 ? 0 : (current + 1) % count),
      ArrowUp: () => setActive(count === 0 ? 0 : (current - 1 + count) % count),
      Enter: () => run(items[current]),
      Escape: leave,
      // There is nothing else to go to in here.
      Tab: () => undefined,
    };
    const act = acts[event.key];
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  };
  return (
    <div
      className="palette"
      role="dialog"
      aria-label="Command palette"
      onKeyDown={onKeyDown}
      onMouseDown={(event) => {
        // The keyboard stays in the box.
        if (!(event.target instanceof HTMLInputElement)) {
          event.preventDefault();
        }
      }}
      onClick={({ target }) => {
        const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null;
        run(items.find(({ id }) => id === option?.dataset['item']));
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // The person went elsewhere; another window taking the focus is not that.
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) {
          controller.setPaletteOpen(false);
        }
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Command or session"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={items.length === 0 ? undefined : `${listId}-${current}`}
        placeholder="Command or session"
        autoFocus
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setActive(0);
        }}
      />
      <div ref={list} id={listId} role="listbox" aria-label="Commands and sessions">
        {items.map((item, index) => (
          <div
            key={item.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === current}
            data-item={item.id}
          >
            <span>{item.label}</span> {item.kind === 'command' ? <kbd>{keyLabel(item.command, platform)}</kbd> : null}
          </div>
        ))}
      </div>
      {items.length === 0 ? <p role="status">Nothing is called so.</p> : null}
    </div>
  );
}
