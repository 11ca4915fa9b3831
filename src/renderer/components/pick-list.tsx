import { useVirtualizer } from '@tanstack/react-virtual';
import { useId, useRef, useState, type ComponentType, type KeyboardEvent, type ReactNode } from 'react';
import { useKeyboardReturn } from '../window/keyboard-return.ts';

/** Height of a row in pixels; known to `panels.css`. */
const ROW_PX = 26;

export interface PickListProps<Item extends { readonly id: string }> {
  /** Names of the dialog, of its box and of its list. */
  readonly names: { readonly dialog: string; readonly box: string; readonly list: string };
  /** What matches a query, in order. */
  readonly find: (query: string) => readonly Item[];
  readonly Row: ComponentType<{ readonly item: Item }>;
  /** What is told when nothing matches. */
  readonly nothing: string;
  readonly onPick: (item: Item) => void;
  readonly onClose: () => void;
}

/**
 * Over everything else: a box to type into and a list of what matches, which only has the rows in view in the page. Enter
 * takes the marked one; the keyboard goes back to where it was before anything is done.
 */
export function PickList<Item extends { readonly id: string }>({
  names,
  find,
  Row,
  nothing,
  onPick,
  onClose,
}: PickListProps<Item>): ReactNode {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const returnKeyboard = useKeyboardReturn();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const items = find(query);
  const current = Math.min(active, items.length - 1);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by the React compiler
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => list.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 8,
  });

  const mark = (index: number): void => {
    setActive(index);
    virtualizer.scrollToIndex(index);
  };
  const leave = (): void => {
    onClose();
    returnKeyboard();
  };
  const pick = (item: Item | undefined): void => {
    if (item !== undefined) {
      leave();
      onPick(item);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const count = items.length;
    const page = Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / ROW_PX) - 1);
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => mark(count === 0 ? 0 : (current + 1) % count),
      ArrowUp: () => mark(count === 0 ? 0 : (current - 1 + count) % count),
      PageDown: () => mark(Math.max(0, Math.min(current + page, count - 1))),
      PageUp: () => mark(Math.max(current - page, 0)),
      Enter: () => pick(items[current]),
      Escape: leave,
      // There is nothing else to go to in here.
      Tab: () => undefined,
    };
    const act = event.ctrlKey || event.altKey || event.metaKey ? undefined : acts[event.key];
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  };
  const drawn = virtualizer.getVirtualItems();
  const isActiveDrawn = drawn.some(({ index }) => index === current);
  return (
    <div
      className="palette"
      role="dialog"
      aria-label={names.dialog}
      onKeyDown={onKeyDown}
      onMouseDown={(event) => {
        // The keyboard stays in the box.
        if (!(event.target instanceof HTMLInputElement)) {
          event.preventDefault();
        }
      }}
      onClick={({ target }) => {
        const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null;
        pick(items.find(({ id }) => id === option?.dataset['item']));
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // The person went elsewhere; another window taking the focus is not that.
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) {
          onClose();
        }
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label={names.box}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={isActiveDrawn ? `${listId}-${current}` : undefined}
        placeholder={names.box}
        autoFocus
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          mark(0);
        }}
      />
      <div ref={list} id={listId} role="listbox" aria-label={names.list}>
        <div role="presentation" className="palette-rows" style={{ height: virtualizer.getTotalSize() }}>
          {drawn.map(({ index, key, start }) => {
            const item = items[index];
            return item === undefined ? null : (
              <div
                key={key}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === current}
                aria-posinset={index + 1}
                aria-setsize={items.length}
                data-item={item.id}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Row item={item} />
              </div>
            );
          })}
        </div>
      </div>
      {items.length === 0 ? <p role="status">{nothing}</p> : null}
    </div>
  );
}
