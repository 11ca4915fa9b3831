import type { ReactNode } from 'react';
import { CloseIcon } from './icons.tsx';

/** Closes the panel that it stands in; the keyboard goes to it when the panel is gone to. */
export function PanelCloseButton({
  className = '',
  onClose,
}: {
  readonly className?: string;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <button
      type="button"
      className={`icon-button ${className}`.trim()}
      aria-label="Close this panel"
      data-region-target=""
      onClick={onClose}
    >
      <CloseIcon />
    </button>
  );
}
