import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChildProcess } from '../../src/engine/backend/backend.ts';
import { startPty } from '../../src/engine/backend/pty-backend.ts';
import { AskedSession } from '../../src/engine/terminal/testing/asked-session.ts';

const ASKS_TERMINAL = resolve('test/fixtures/programs/asks-terminal.py');
const PYTHON = '/usr/bin/python3';
const VIM = '/usr/bin/vim';

const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

/** A real child on a pty of 80 × 24 whose questions a responder answers. */
class AskingChild {
  readonly session = new AskedSession({ onReply: (bytes) => this.type(bytes) });
  readonly #child: ChildProcess;
  #printed = '';
  #hasClosed = false;
  #watchers: (() => void)[] = [];

  constructor(argv: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) {
    const [file, ...args] = argv;
    this.#child = startPty(
      {
        program: file,
        file,
        arg0: file,
        args,
        cwd: tmpdir(),
        env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
      },
      { cols: 80, rows: 24 },
      {
        output: (_stream, bytes) => this.#output(bytes),
        exited: () => undefined,
        isAwaited: () => false,
        closed: () => {
          this.#hasClosed = true;
          this.#wake();
        },
      },
    );
    onTestFinished(async () => {
      this.session.responder.dispose();
      if (!this.#hasClosed) {
        process.kill(this.#child.pid, 'SIGKILL');
        await this.closed();
      }
      this.#child.dispose();
    });
  }

  type(bytes: Uint8Array | string): void {
    this.#child.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, null).catch(() => {
      // The child ended before it read that; its output says what it got.
    });
  }

  /** Resolves with all output when the text was printed; rejects when the child ends without it. */
  async printed(text: string): Promise<string> {
    while (!this.#printed.includes(text)) {
      if (this.#hasClosed) {
        throw new Error(`ended without ${JSON.stringify(text)}: ${JSON.stringify(this.#printed.slice(-2_000))}`);
      }
      await this.#change();
    }
    return this.#printed;
  }

  /** Resolves with all output when that has ended. */
  async closed(): Promise<string> {
    while (!this.#hasClosed) {
      await this.#change();
    }
    return this.#printed;
  }

  #output(bytes: Uint8Array): void {
    this.#printed += Buffer.from(bytes).toString('latin1');
    this.session.print(bytes);
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((done) => this.#watchers.push(done));
  }

  #wake(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watcher of watchers) {
      watcher();
    }
  }
}

function asks(...steps: readonly string[]): AskingChild {
  return new AskingChild([PYTHON, ASKS_TERMINAL, ...steps]);
}

/** What the program says it got, by its question, in order. */
function answersIn(printed: string): readonly string[] {
  return [...printed.matchAll(/^([a-z-]+=[\da-f]*|before \w+=[\da-f]*)\r$/gm)].map(([, line]) => line ?? '');
}

describe('a program that asks its terminal', () => {
  test('is answered', async () => {
    const child = asks(
      'attributes',
      'second-attributes',
      'text:hello',
      'cursor',
      'mode',
      'margins',
      'background',
      'version',
    );
    expect(answersIn(await child.closed())).toEqual([
      `attributes=${hex('\u001B[?1;2c')}`,
      `second-attributes=${hex('\u001B[>0;276;0c')}`,
      // Two answers of two lines each, and the word.
      `cursor=${hex('\u001B[5;6R')}`,
      `mode=${hex('\u001B[?2004;2$y')}`,
      `margins=${hex('\u001BP1$r1;24r\u001B\\')}`,
      `background=${hex('\u001B]11;rgb:0000/0000/0000\u001B\\')}`,
      'version=',
    ]);
  });

  test('is answered truly after a flood, at the cost of a look at its end', async () => {
    const child = asks('cursor', 'flood:30000000', 'text:hello', 'cursor');
    expect(answersIn(await child.closed())).toEqual([`cursor=${hex('\u001B[1;1R')}`, `cursor=${hex('\u001B[24;6R')}`]);
    expect(child.session.endOffset).toBeGreaterThan(30_000_000);
    expect(child.session.replayedBytes).toBeLessThan(1.2 * 1024 * 1024);
  });

  test.skipIf(!existsSync(VIM))(
    'vim starts, asks what the terminal is and is told (skipped where there is no vim)',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'shellscope-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const told = join(folder, 'told');
      const child = new AskingChild(
        [
          VIM,
          '-N',
          '-u',
          'NONE',
          '-i',
          'NONE',
          '-n',
          '-c',
          'autocmd TermResponse * call writefile([v:termresponse], $TOLD) | qall!',
        ],
        { TOLD: told },
      );
      await child.closed();
      expect(readFileSync(told, 'utf8')).toBe('\u001B[>0;276;0c\n');
    },
  );
});
