/** Bytes, or a text's UTF-8, as base64. */
export function base64Of(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** What a program writes after `OSC 52 ;` to have this text on the clipboard. */
export function clipboardPayload(text: string): string {
  return `c;${base64Of(text)}`;
}
