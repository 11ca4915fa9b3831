import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession } from '@playwright/test';
import { expect, test, type Shellscope } from './fixtures.ts';

/** Says what it was given, line by line; an ESC in it is written out. */
const ECHOES = ['/bin/bash', '-c', `while IFS= read -r line; do echo "got <\${line//$'\\e'/ESC}>"; done`];

/** What a key does at an input method, which takes each (UI Events: key code 229). */
async function atInputMethod(cdp: CDPSession, key: string, act: () => Promise<unknown>): Promise<void> {
  const taken = { key, windowsVirtualKeyCode: 229 };
  await cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...taken });
  await act();
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...taken });
}

const showComposed = (cdp: CDPSession, text: string): Promise<unknown> =>
  cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });

/** Writes a text in syllables; it is not taken yet. */
async function compose(cdp: CDPSession, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    await atInputMethod(cdp, 'Process', () => showComposed(cdp, step));
  }
}

const insert = (cdp: CDPSession, text: string): Promise<unknown> => cdp.send('Input.insertText', { text });

const NIHONGO = ['n', 'に', 'にh', 'にほ', 'にほn', 'にほんg', 'にほんご'];

/** Bytes that a person typed, as the audit log has them. */
async function personsBytes(stateFolder: string): Promise<number> {
  const text = await readFile(join(stateFolder, 'audit.jsonl'), 'utf8').catch(() => '');
  const events = text.split('\n').filter((line) => line !== '');
  return events
    .map((line) => JSON.parse(line) as { readonly by?: { readonly kind: string }; readonly bytes?: number })
    .reduce((sum, { by, bytes }) => sum + (by?.kind === 'person' ? (bytes ?? 0) : 0), 0);
}

async function setScreenReader(shellscope: Shellscope, stateFolder: string, mode: 'on' | 'off'): Promise<void> {
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ accessibility: { screenReader: mode } }));
  const readable = shellscope.page.locator('.xterm-accessibility');
  await expect(readable).toHaveCount(mode === 'on' ? 1 : 0);
}

for (const mode of ['on', 'off'] as const) {
  test(`what an input method makes arrives once, takes the keyboard and is marked, with screen-reader mode ${mode}`, async ({
    shellscope,
    agent,
    stateFolder,
  }) => {
    const { page } = shellscope;
    const cdp = await page.context().newCDPSession(page);
    await agent.start('job', ECHOES, { env: { LC_ALL: 'C.UTF-8' } });
    const tab = shellscope.tab(/test-agent/);
    await tab.click();
    await expect(page.getByText('test-agent holds the keyboard')).toBeVisible();
    await setScreenReader(shellscope, stateFolder, mode);
    const typed: string[] = [];
    /** Ends the line, which is one text by then, and looks at what the program was given in all. */
    const arrives = async (text: string): Promise<void> => {
      await page.keyboard.press('Enter');
      typed.push(text);
      await shellscope.expectScreen(tab, `got <${text}>`);
      const shown = (await shellscope.screenText(tab)) ?? '';
      expect(shown.replaceAll('^[', 'ESC')).toBe(typed.map((line) => `${line}\ngot <${line}>`).join('\n'));
    };

    // Composed, and taken by a key.
    await compose(cdp, NIHONGO);
    await expect(page.locator('.composition-view.active')).toHaveText('にほんご');
    await atInputMethod(cdp, 'Process', () => insert(cdp, '日本語'));
    await expect(page.getByText('You hold the keyboard')).toBeVisible();
    await arrives('日本語');

    // Composed, and the candidate clicked; then given up.
    await compose(cdp, NIHONGO);
    await insert(cdp, '二本');
    await compose(cdp, ['に', '']);
    await arrives('二本');

    // In the midst of what the text area has.
    await shellscope.type('ab');
    await page.keyboard.press('ArrowLeft');
    await compose(cdp, ['な', 'なか']);
    await atInputMethod(cdp, 'Process', () => insert(cdp, '中'));
    await shellscope.type('c');
    await arrives('abESC[D中c');

    // Dead keys: as a composition (macOS), and as a key that has its accent already (Linux, Windows).
    await atInputMethod(cdp, 'Dead', () => showComposed(cdp, '´'));
    await atInputMethod(cdp, 'e', () => insert(cdp, 'é'));
    await cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Dead', windowsVirtualKeyCode: 222 });
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Dead', windowsVirtualKeyCode: 222 });
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'é', text: 'é', windowsVirtualKeyCode: 69 });
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'é', windowsVirtualKeyCode: 69 });
    await arrives('éé');

    // Without any key: a picker, dictation. Between keys, of which one is still down.
    await insert(cdp, '👩‍👩‍👧');
    await shellscope.type('x');
    await insert(cdp, '🇯🇵❤️');
    await page.keyboard.down('Shift');
    await insert(cdp, '한');
    await page.keyboard.up('Shift');
    await page.keyboard.down('y');
    await insert(cdp, '글');
    await page.keyboard.up('y');
    await page.keyboard.down('ArrowLeft');
    await insert(cdp, '字');
    await page.keyboard.up('ArrowLeft');
    await shellscope.type('Zß');
    await arrives('👩‍👩‍👧x🇯🇵❤️한y글ESC[D字Zß');

    // Fast: a key is let go between the next one and its text.
    const o = { key: 'o', code: 'KeyO', windowsVirtualKeyCode: 79 };
    const k = { key: 'k', code: 'KeyK', windowsVirtualKeyCode: 75 };
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', ...o, text: 'o' });
    await cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...k });
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...o });
    if (mode === 'on') {
      // Else xterm prevents the key, which has no text then.
      await cdp.send('Input.dispatchKeyEvent', { type: 'char', ...k, text: 'k' });
    }
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...k });
    await arrives('ok');

    // A number typed with Alt on Windows: a character of no key.
    await cdp.send('Input.dispatchKeyEvent', { type: 'char', text: 'é' });
    await page.keyboard.press('Q');
    await cdp.send('Input.dispatchKeyEvent', { type: 'char', text: 'ñ' });
    await arrives('éQñ');

    await shellscope.inApp(({ clipboard }, text) => clipboard.writeText(text), '貼り付け 한글 שלום');
    await page.keyboard.press('Control+Shift+V');
    await arrives('貼り付け 한글 שלום');

    // Several lines at once are asked about as a paste is, whatever announces them; one line loses what is no text.
    const question = page.getByRole('alertdialog', { name: /^Paste these 2 lines/ });
    const isAskedAbout = async (): Promise<void> => {
      await expect(question.getByRole('group')).toHaveText('one\ntwo[A');
      await expect(question.getByRole('button', { name: 'Do not paste' })).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(question).toHaveCount(0);
    };
    const several = 'one\ntwo\u001B[A\n';
    await insert(cdp, several);
    await isAskedAbout();
    await atInputMethod(cdp, 'Process', () => insert(cdp, several));
    await isAskedAbout();
    await compose(cdp, ['に']);
    await atInputMethod(cdp, 'Process', () => insert(cdp, several));
    await isAskedAbout();
    await compose(cdp, ['に']);
    await insert(cdp, several);
    await isAskedAbout();
    await insert(cdp, '7\u001B[D8');
    await atInputMethod(cdp, 'Process', () => insert(cdp, '\u001B[C9'));
    await arrives('7[D8[C9');

    const bytes = Buffer.byteLength(`${typed.join('\n')}\n`.replaceAll('ESC', '\u001B'));
    await expect(page.locator('.input-marks').getByRole('img', { name: /^you typed/ })).not.toHaveCount(0);
    await expect(page.locator('.input-marks').getByRole('img', { name: /test-agent/ })).toHaveCount(0);
    await page.reload();
    await expect.poll(() => personsBytes(stateFolder)).toBe(bytes);
  });
}
