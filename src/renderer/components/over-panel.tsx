import { useEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { PanelCloseButton } from './panel-close-button.tsx';

/** A panel over the right side of the panes; not modal. It has the focus when it opens, and Escape closes it. */
export function OverPanel({
  id,
  title,
  about,
  panel,
  onClose,
  children,
}: {
  readonly id: string;
  readonly title: string;
  /** One sentence under the title. */
  readonly about: string;
  /** For who gives it the focus back. */
  readonly panel?: RefObject<HTMLDivElement | null>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const own = useRef<HTMLDivElement>(null);
  const element = panel ?? own;
  useEffect(() => element.current?.focus(), [element]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
    }
  };
  return (
    <div
      ref={element}
      id={id}
      className="over-panel"
      role="dialog"
      aria-label={title}
      tabIndex={-1}
      data-region={id}
      onKeyDown={onKeyDown}
    >
      <header className="over-panel-head">
        <h2>{title}</h2>
        <p>{about}</p>
        <PanelCloseButton onClose={onClose} />
      </header>
      {children}
    </div>
  );
}
