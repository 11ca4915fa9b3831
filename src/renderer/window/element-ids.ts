import type { SessionId } from '../../shared/session.ts';

/** Id of a session's tab element. Encoded, because a list of ids is parted by blanks. */
export function tabElementId(id: SessionId): string {
  return `tab-${encodeURIComponent(id)}`;
}

/** The session that an element draws, or is a part of the drawing of: its tab, its row, its panel. */
export function sessionIdOf(element: Element): SessionId | null {
  const place = element.closest<HTMLElement>('[data-session-id], [role=tabpanel]');
  const id = place?.dataset['sessionId'] ?? decodeURIComponent(place?.id.replace(/^panel-/, '') ?? '');
  return id === '' ? null : (id as SessionId);
}

/** Id of a session's panel element. */
export function panelElementId(id: SessionId): string {
  return `panel-${encodeURIComponent(id)}`;
}

/** Names the question whether a session's program may set the clipboard, among all questions. */
export function clipboardQuestionId(id: SessionId): string {
  return `clipboard-${id}`;
}

/** Id of the text that describes the tabs of failures which nobody has looked at. */
export const UNSEEN_TEXT_ID = 'unseen-text';
