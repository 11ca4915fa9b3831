import { firstUnseen } from '../../shared/shown-text.ts';

/**
 * The first character of a text that does not show as itself, as `U+202E`; null when there is none. It is one that a person
 * would be shown written out: what she sees as it is hides nothing.
 */
export function hiddenCharacter(text: string): string | null {
  const hidden = firstUnseen(text);
  return hidden === null ? null : `U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
