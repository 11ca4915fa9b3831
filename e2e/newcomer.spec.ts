import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { chromium } from '@playwright/test';
import { expect, test } from './fixtures.ts';

test('npm start on a built tree leads to a prompt that answers, and ends with the app', async ({ stateFolder }) => {
  // A prompt that is alike everywhere.
  await writeFile(join(stateFolder, '.bashrc'), "PS1='$ '\n");
  const begin = performance.now();
  const app = spawn(
    'npm',
    ['start', '--', '--shellscope-test', '--listen=ws://127.0.0.1:0', '--remote-debugging-port=0'],
    {
      env: { ...process.env, SHELLSCOPE_STATE_DIR: stateFolder, HOME: stateFolder, SHELL: '/bin/bash' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const ended = once(app, 'exit');
  try {
    const browser = await chromium.connectOverCDP(await debuggerOf(app));
    const [context] = browser.contexts();
    const page = context?.pages()[0] ?? (await context!.waitForEvent('page'));
    await page.getByRole('button', { name: 'New shell' }).first().waitFor();
    const windowMs = performance.now() - begin;
    await page.keyboard.press('Control+Shift+T');
    const screen = () =>
      page.evaluate<string>('shellscopeTest.screenText(shellscopeTest.selectedSession() ?? "") ?? ""');
    await expect.poll(screen).toMatch(/\$$/);
    await page.keyboard.type('echo $((6 * 7))\n');
    await expect.poll(screen).toContain('\n42\n');
    const promptMs = performance.now() - begin;
    // A figure for who reads it, not judged here: `npm run bench -- start` is where it is measured.
    process.stdout.write(
      `      to the window ${windowMs.toFixed(0)} ms, to a prompt in use ${promptMs.toFixed(0)} ms\n`,
    );
    await browser.close();
  } finally {
    app.kill('SIGTERM');
    // Before the folder with its state goes.
    await ended;
  }
  expect(await ended).toEqual([0, null]);
});

/** The address of the page's debugger, which Chromium tells on stderr. Throws when the app ends without one. */
async function debuggerOf({ stderr }: ChildProcess): Promise<string> {
  const told: string[] = [];
  for await (const line of createInterface({ input: stderr as Readable })) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      // What comes after it is read to nowhere: a full pipe would hold the app.
      (stderr as Readable).resume();
      return address;
    }
    told.push(line);
  }
  throw new Error(`the app ended before it had a window:\n${told.join('\n')}`);
}
