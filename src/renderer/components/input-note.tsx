import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { useWindowModel } from '../window/window-model.ts';

/**
 * In the lower corner of a terminal in which the person goes from input to input: who typed what, and when. In the upper one
 * where the cursor is in the lower half of what she sees: she types there, and there is the line that was gone to.
 */
export function InputNote({ session }: { readonly session: SessionInfo }): ReactNode {
  const { deck } = useWindowModel();
  const note = useStore(deck.inputNotes, (all) => all.get(session.id) ?? '');
  const element = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null && note !== '') {
      element.current.dataset['edge'] = deck.shownCursorHalf(session.id) === 'lower' ? 'top' : 'bottom';
    }
  }, [deck, note, session.id]);
  return (
    // Present from the start, so that what appears in it is announced.
    <p ref={element} className="input-note" role="status" data-empty={note === '' || undefined}>
      {note}
    </p>
  );
}
