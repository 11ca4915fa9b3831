import type { WaitingFor } from '../../shared/session.ts';
import { isReadLikeBash, isShellName } from './carried-commands.ts';
import { hiddenCharacter } from './hidden-characters.ts';

/** What is known of a terminal into which an agent wants to type. */
export interface InputPlace {
  /** Null where it cannot be told. */
  readonly waitingFor: WaitingFor | null;
  /**
   * What stands on the line already and was not sent with Enter; null when that is not known, because a person typed,
   * or keys edited it.
   */
  readonly pendingLine: string | null;
  /** Is the session's own program a shell? Then what its programs leave unread is read as commands. */
  readonly isShellSession: boolean;
}

/**
 * What some input would do:
 * - `nothing-runs` it stays on the line, which is `pendingLine` then;
 * - `commands` a shell runs this text; what is left on the line is `pendingLine`;
 * - `data` a program that was allowed to run reads it;
 * - `unclear` it must be asked.
 */
export type JudgedBytes =
  | { readonly kind: 'nothing-runs'; readonly pendingLine: string }
  | { readonly kind: 'commands'; readonly text: string; readonly pendingLine: string }
  | { readonly kind: 'data' }
  | { readonly kind: 'unclear'; readonly why: string };

/** Keys that end or clear something and run nothing: Ctrl-C, Ctrl-D, Ctrl-L, Ctrl-Z, Ctrl-\. Alone they may always be sent. */
const ENDING_KEYS: ReadonlySet<string> = new Set(['\u0003', '\u0004', '\u000c', '\u001a', '\u001c']);

/** What moves in a pager or leaves it. Its other keys run programs (`!`, `|`, `v`) or write (`s`, `o`). */
const PAGER_KEYS = /^[ \r\njkdfbugGnNq]+$/;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What an agent's input into a running session comes to, by what the session waits for (S5). Pure. */
export function judgeInput(bytes: Uint8Array, { waitingFor, pendingLine, isShellSession }: InputPlace): JudgedBytes {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    // Half a character, or none: whatever reads it may see something else than we do.
    return { kind: 'unclear', why: 'it is no text' };
  }
  if (text === '') {
    return { kind: 'data' };
  }
  if (Array.from(text).every((key) => ENDING_KEYS.has(key))) {
    return { kind: 'nothing-runs', pendingLine: '' };
  }
  const kind = waitingFor?.kind ?? 'unknown';
  const isShell = waitingFor?.program !== null && waitingFor !== null && isShellName(waitingFor.program);
  if (kind === 'password') {
    return { kind: 'unclear', why: 'it answers a question for a password' };
  }
  if (isShell && kind !== 'busy') {
    return judgeLine(text, pendingLine, waitingFor.program);
  }
  if (kind === 'pager') {
    return PAGER_KEYS.test(text)
      ? { kind: 'data' }
      : { kind: 'unclear', why: 'with this key a pager can run a program' };
  }
  if (kind === 'busy' || kind === 'unknown') {
    // Typed ahead: who will read it is not known, and a shell reads what its programs leave.
    return isShellSession || kind === 'unknown' ? judgeLine(text, pendingLine, null) : { kind: 'data' };
  }
  if (isShellSession && /[\r\n]./su.test(text)) {
    return { kind: 'unclear', why: 'it is more than one line, and the shell reads what the program leaves' };
  }
  return { kind: 'data' };
}

/** At a prompt: the text up to the last Enter is run, and what follows stays on the line. `shell`: null for one that is not known. */
function judgeLine(typed: string, pendingLine: string | null, shell: string | null): JudgedBytes {
  const text = typed.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  // A tab completes, and other keys edit, recall or search: the line is no longer what was sent.
  const hidden = hiddenCharacter(text) ?? (text.includes('\t') ? 'Tab' : null);
  if (hidden !== null) {
    return { kind: 'unclear', why: `it holds the key ${hidden}, with which the line becomes another` };
  }
  const end = text.lastIndexOf('\n');
  if (pendingLine === null) {
    return { kind: 'unclear', why: 'what stands on the line already is not known' };
  }
  const line = pendingLine + text;
  if (end < 0) {
    return { kind: 'nothing-runs', pendingLine: line };
  }
  const last = line.lastIndexOf('\n');
  const commands = line.slice(0, last);
  // Interactive shells replace these before anything else, also within double quotes.
  if (/!(?![\s=(]|$)/m.test(commands) || /^\s*\^/m.test(commands)) {
    return { kind: 'unclear', why: 'it recalls an earlier command' };
  }
  // In a zsh that one types into, for one, a # begins no comment.
  return isReadLikeBash(shell, commands)
    ? { kind: 'commands', text: commands, pendingLine: line.slice(last + 1) }
    : { kind: 'unclear', why: `${shell ?? 'the shell'} may read it otherwise than it is read here` };
}
