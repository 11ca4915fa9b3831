import { useEffect, useState, type ReactNode } from 'react';
import { useWindowModel } from '../window/window-model.ts';

/** Time for which the button says that it copied, in milliseconds. */
const CONFIRMATION_MS = 2_000;

/** Copies a text. `subject` says what, for those who do not see what the button stands beside. */
export function CopyButton({ text, subject }: { readonly text: string; readonly subject: string }): ReactNode {
  const { controller } = useWindowModel();
  const [copied, setCopied] = useState(0);

  useEffect(() => {
    if (copied === 0) {
      return undefined;
    }
    const timer = setTimeout(() => setCopied(0), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async (): Promise<void> => {
    if (await controller.desktop.copy(text)) {
      setCopied((count) => count + 1);
    }
  };
  return (
    <>
      <button type="button" className="copy" aria-label={`Copy ${subject}`} onClick={() => void copy()}>
        {copied > 0 ? 'Copied' : 'Copy'}
      </button>
      <span className="visually-hidden" role="status">
        {copied > 0 ? `Copied ${subject}` : ''}
      </span>
    </>
  );
}
