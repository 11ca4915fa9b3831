import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChildProcess } from '../../src/engine/backend/backend.ts';
import { startPty } from '../../src/engine/backend/pty-backend.ts';
import { AskedSession } from '../../src/engine/terminal/testing/asked-session.ts';
import { ReferenceTerminal } from '../../src/engine/terminal/testing/reference-terminal.ts';

const ASKS_TERMINAL = resolve('test/fixtures/programs/asks-terminal.py');
const PYTHON = '/usr/bin/python3';
const VIM = '/usr/bin/vim';

const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

/** A real child on a pty of 80 × 24 whose questions a responder answers, and a window's terminal when one is opened. */
class AskingChild {
  readonly session = new AskedSession({ onReply: (bytes) => this.type(bytes) });
  readonly #child: ChildProcess;
  #printed = '';
  #hasClosed = false;
  #watchers: (() => void)[] = [];
  #window: ReferenceTerminal | null = null;
  /** What the window has not parsed yet. */
  #unparsedBytes = 0;

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
    this.#child.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes).catch(() => {
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

  /** A window attaches: it is given what was printed so far, and answers from here on. */
  openWindow(): void {
    const window = new ReferenceTerminal();
    for (const { bytes } of this.session.replay(0)) {
      void window.parse(bytes);
    }
    this.#window = window;
    this.session.responder.windowAnswers(true);
  }

  closeWindow(): void {
    this.#window?.dispose();
    this.#window = null;
    this.session.responder.windowAnswers(false, this.#unparsedBytes);
    this.#unparsedBytes = 0;
  }

  #output(bytes: Uint8Array): void {
    this.#printed += Buffer.from(bytes).toString('latin1');
    this.session.print(bytes);
    const window = this.#window;
    if (window !== null) {
      this.#unparsedBytes += bytes.length;
      void window.parse(bytes).then((reply) => {
        if (window === this.#window) {
          this.#unparsedBytes -= bytes.length;
          this.type(reply);
        }
      });
    }
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
  test('is answered with no window anywhere', async () => {
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

  test('is answered once before, while and after a window shows it', async () => {
    const child = asks(
      'attributes',
      'wait:A',
      'attributes',
      'text:hello',
      'cursor',
      'wait:B',
      'text:again',
      'cursor',
      'mode',
      'wait:C',
    );
    await child.printed('waiting for A');
    child.openWindow();
    child.type('A');
    await child.printed('waiting for B');
    const saidByHost = child.session.said;
    child.closeWindow();
    child.type('B');
    await child.printed('waiting for C');
    child.type('C');
    expect(answersIn(await child.closed())).toEqual([
      `attributes=${hex('\u001B[?1;2c')}`,
      'before A=',
      `attributes=${hex('\u001B[?1;2c')}`,
      `cursor=${hex('\u001B[8;6R')}`,
      'before B=',
      `cursor=${hex('\u001B[13;6R')}`,
      `mode=${hex('\u001B[?2004;2$y')}`,
      'before C=',
    ]);
    expect(saidByHost).toBe('\u001B[?1;2c\u001B[0n');
  });

  test('is answered when the window goes before it has parsed the question', async () => {
    const child = asks('wait:A', 'text:hello', 'cursor');
    await child.printed('waiting for A');
    child.openWindow();
    child.type('A');
    // The question stands behind the word; whichever of them the window has parsed by then, one answer comes.
    await child.printed('hello');
    child.closeWindow();
    expect(answersIn(await child.closed())).toEqual(['before A=', `cursor=${hex('\u001B[4;6R')}`]);
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
