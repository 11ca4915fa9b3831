import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession } from '@playwright/test';

/** Letters that are in nothing else: what is typed key by key is stored so, if it is, and one of them is a find. */
export const SECRET = 'ѪѮѰѲѴ';

/** Where in the text a letter of the secret is, as it is or as the characters of one would be escaped. */
export function lettersIn(text: string, letters: string): readonly string[] {
  return Array.from(letters).filter(
    (letter) => text.includes(letter) || text.includes(`u0${letter.codePointAt(0)?.toString(16)}`),
  );
}

/** Paths under the folder of files in which a letter is, in any of the forms in which input travels. */
export async function filesWith(folder: string, letters: string): Promise<readonly string[]> {
  const forms = Array.from(letters).flatMap((letter) => [Buffer.from(letter), Buffer.from(letter, 'utf16le')]);
  forms.push(Buffer.from(Buffer.from(letters).toString('base64')));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const bytes = await readFile(join(parentPath, name));
        return forms.some((form) => bytes.includes(form)) ? [join(parentPath, name).slice(folder.length + 1)] : [];
      }),
  );
  return found.flat();
}

/** Presses the keys of another keyboard than Playwright knows, then Enter. */
export async function pressKeys(cdp: CDPSession, text: string): Promise<void> {
  for (const key of Array.from(text)) {
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key });
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }
  await cdp.send('Input.dispatchKeyEvent', {
    type: 'keyDown',
    key: 'Enter',
    code: 'Enter',
    windowsVirtualKeyCode: 13,
    text: '\r',
  });
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
}
