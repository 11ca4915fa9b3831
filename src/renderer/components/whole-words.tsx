import type { ReactNode } from 'react';

/** Longer texts are drawn as they are: a script may have as many words as the system takes. */
const MAX_LENGTH = 10_000;

/** A command that is broken between its words only, so that `--force` is not torn at its hyphens. */
export function WholeWords({ text }: { readonly text: string }): ReactNode {
  if (text.length > MAX_LENGTH) {
    return text;
  }
  return text.split(/(\s+)/).map((part, index) =>
    index % 2 === 1 ? (
      part
    ) : (
      <span key={index} className="whole-word">
        {part}
      </span>
    ),
  );
}
