import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useKeyboardReturn } from '../window/keyboard-return.ts';
import { useWindowModel } from '../window/window-model.ts';
import { CloseIcon } from './icons.tsx';

/** Over the right side of the panes, so that the terminals are seen beside it; not modal. Escape closes it. */
export function SheetFrame({
  name,
  title,
  intro,
  actions,
  isReadOnly = false,
  children,
}: {
  readonly name: string;
  readonly title: string;
  readonly intro: ReactNode;
  readonly actions?: ReactNode;
  /** Nothing in it takes the keyboard: then the whole does, to be scrolled. */
  readonly isReadOnly?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const { controller } = useWindowModel();
  const sheet = useRef<HTMLDivElement>(null);
  const returnKeyboard = useKeyboardReturn();
  useEffect(() => {
    const first = sheet.current?.querySelector<HTMLElement>('[data-first-focus]');
    (first ?? sheet.current)?.focus();
  }, []);

  const close = (): void => {
    controller.panels.closeSheet();
    returnKeyboard();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault();
      close();
    }
  };
  return (
    <div
      ref={sheet}
      id={`${name}-sheet`}
      className="sheet"
      role="dialog"
      aria-label={title}
      tabIndex={-1}
      data-region={name}
      onKeyDown={onKeyDown}
    >
      <header className="sheet-head">
        <h2>{title}</h2>
        {actions}
        <button
          type="button"
          className="icon-button"
          aria-label={`Close ${title.toLowerCase()}`}
          data-region-target=""
          onClick={close}
        >
          <CloseIcon />
        </button>
        <div className="sheet-intro">{intro}</div>
      </header>
      {/* Its own scroller: the head with search and close stays. */}
      <div
        className="sheet-body"
        {...(isReadOnly ? { tabIndex: 0, role: 'region', 'aria-label': `${title}, list` } : {})}
      >
        {children}
      </div>
    </div>
  );
}
