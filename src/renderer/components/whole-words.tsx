import type { ReactNode } from 'react';
import { InOrder } from './in-order.tsx';

/** Longer texts are not parted into words: a script may have as many as the system takes. */
const MAX_LENGTH = 10_000;

/** A command that is broken between its words only, so that `--force` is not torn at its hyphens; see `InOrder`. */
export function WholeWords({ text }: { readonly text: string }): ReactNode {
  if (text.length > MAX_LENGTH) {
    return <InOrder text={text} />;
  }
  return text.split(/(\s+)/).map((part, index) =>
    index % 2 === 1 ? (
      part
    ) : (
      <span key={index} className="whole-word">
        <InOrder text={part} />
      </span>
    ),
  );
}
