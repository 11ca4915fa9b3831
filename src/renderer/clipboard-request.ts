/**
 * Most base64 characters of a text that a program may copy: 75 kB of it. What a person copies is shorter, and a question
 * about more could not be answered by reading.
 */
export const MAX_CLIPBOARD_PAYLOAD = 100 * 1024;

/**
 * What a program wants of the clipboard by `OSC 52`:
 * - `write`: this text, which is not empty, is to be on it;
 * - `too-large`: a text of about so many bytes is;
 * - `nothing`: no text is to be on it. Also for all that is never done: to tell what is on it, to empty it, to choose what
 *   the person has marked (`p`, `q` and the cut buffers), and for what is no base64 of UTF-8.
 */
export type ClipboardRequest =
  | { readonly kind: 'write'; readonly text: string }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'nothing' };

const NOTHING: ClipboardRequest = { kind: 'nothing' };

/** The clipboard (`c`), and what terminals may take for it: `s`, the configured one, which is also meant by none. */
const MEANS_CLIPBOARD = /^(?:[cpqs0-7]*[cs][cpqs0-7]*)?$/;

/**
 * Reads what stands between `OSC 52 ;` and its end: the selections, `;`, and the text as base64 (xterm, "Control
 * Sequences", Manipulate Selection Data).
 */
export function readClipboardRequest(payload: string): ClipboardRequest {
  const separator = payload.indexOf(';');
  // Longer ones than all selections together are none; and no pattern is to run over a whole payload.
  if (separator === -1 || separator > 16 || !MEANS_CLIPBOARD.test(payload.slice(0, separator))) {
    return NOTHING;
  }
  const base64 = payload.slice(separator + 1);
  if (base64.length > MAX_CLIPBOARD_PAYLOAD) {
    return { kind: 'too-large', bytes: Math.floor((base64.length * 3) / 4) };
  }
  const text = decodedText(base64);
  return text === null || text === '' ? NOTHING : { kind: 'write', text };
}

/** Null for what is no base64, or no UTF-8. `?`, which asks for the clipboard, is the former. */
function decodedText(base64: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Garbage of a program is nothing to tell the person of.
    return null;
  }
}
