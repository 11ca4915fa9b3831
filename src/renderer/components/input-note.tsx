import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { useWindowModel } from '../window-model.ts';

/** In the lower corner of a terminal in which the person goes from input to input: who typed what, and when. */
export function InputNote({ session }: { readonly session: SessionInfo }): ReactNode {
  const { deck } = useWindowModel();
  const note = useStore(deck.inputNotes, (all) => all.get(session.id) ?? '');
  return (
    // Present from the start, so that what appears in it is announced.
    <p className="input-note" role="status" data-empty={note === '' || undefined}>
      {note}
    </p>
  );
}
