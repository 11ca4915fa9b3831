import type { ReactNode } from 'react';
import { InOrder } from './in-order.tsx';

/** A backtick that begins or ends a quotation has a space or a stop beside it, not another word. */
const QUOTED = /(?<![^\s(])`([^`]+)`(?![^\s.,:;)])/;

/**
 * A sentence of ours in which code stands in backticks, with that drawn as code. Where it cannot be told which backticks are
 * the sentence's and which the code's, all of them are shown.
 */
export function QuotedWords({ text }: { readonly text: string }): ReactNode {
  const parts = text.split(QUOTED);
  if (parts.some((part) => part.includes('`'))) {
    return <InOrder text={text} />;
  }
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <code key={index}>
        <InOrder text={part} />
      </code>
    ) : (
      <InOrder key={index} text={part} />
    ),
  );
}
