import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A text of some pages to look at. */
const PAGES = join(import.meta.dirname, '../../ARCHITECTURE.md');

/** What a program that draws can be led by. */
export interface ProgramRun {
  readonly type: (text: string) => Promise<unknown>;
  /** Resolves when that much has been printed in all. */
  readonly printed: (bytes: number) => Promise<void>;
  /** So much is to be printed. */
  readonly wanted: number;
}

/** A program that draws on a terminal, and what it does until it has printed enough. */
export interface ScreenProgram {
  readonly name: string;
  /** The program that has to be installed; null for what the tests need anyway. */
  readonly needs: string | null;
  readonly argv: readonly string[];
  readonly run: (run: ProgramRun) => Promise<void>;
  /** Of the state afterwards: that the program was really seen at what it is known for. */
  readonly expected: object;
}

/** Bars that are drawn over and over, below a title that is drawn once. */
const BARS = `
process.stdout.write('\\u001b[?25l\\u001b[1;44m installing \\u001b[0m 3 packages\\n\\n\\n\\n');
const bar = (at, of) => '[' + '#'.repeat(at).padEnd(of, '.') + '] ' + at + '/' + of;
let round = 0;
const draw = () => {
  for (let more = 0; more < 50; more += 1) {
    round += 1;
    const lines = [7, 11, 13].map((step, line) => '\\r\\u001b[3' + (line + 1) + 'm' + bar((round / step | 0) % 60, 60) + '\\u001b[0m\\u001b[K\\n');
    process.stdout.write('\\u001b[3A' + lines.join(''));
  }
  setTimeout(draw, 4);
};
draw();
`;

/** One line that goes back to its begin, as pv(1) draws it: no line ends for megabytes. */
const ONE_BAR = `
process.stdout.write('copying\\u001b[?2004h\\u001b[5 q\\n');
let done = 0;
const draw = () => {
  for (let more = 0; more < 300; more += 1) {
    done += 1;
    process.stdout.write('\\r' + (done / 1000).toFixed(2) + 'MiB [' + '='.repeat(done % 50).padEnd(50) + '] ' + (done % 100) + '%');
  }
  setTimeout(draw, 4);
};
draw();
`;

/** Coloured lines that scroll everything away, and modes that were chosen before all of them. */
const LOG = `
process.stdout.write('\\u001b[?1h\\u001b[?2004h\\u001b=\\u001b[4 q\\u001b[1mbuild\\u001b[0m\\n');
let line = 0;
const draw = () => {
  for (let more = 0; more < 500; more += 1) {
    line += 1;
    process.stdout.write('\\u001b[3' + (line % 8) + 'mcompiled\\u001b[0m file-' + line + '.ts '.padEnd(30, '.') + '\\n');
  }
  setTimeout(draw, 1);
};
draw();
`;

export const SCREEN_PROGRAMS: readonly ScreenProgram[] = [
  {
    name: 'vim, with one window that is never redrawn',
    needs: 'vim',
    argv: ['vim', '-u', 'NONE', '-i', 'NONE', '-N', PAGES],
    run: async ({ type, printed, wanted }) => {
      await printed(1_000);
      await type(':set nu hls mouse=a laststatus=2 ruler\r:split\r/session\r');
      await type(':for i in range(2000) | exe "normal! gg" | redraw | exe "normal! G" | redraw | sleep 1m | endfor\r');
      await printed(wanted);
    },
    expected: { screen: 'alternate', mouse: { protocol: 'DRAG', encoding: 'SGR' } },
  },
  {
    name: 'less',
    needs: 'less',
    argv: ['less', '-M', '-N', PAGES],
    run: async ({ type, printed, wanted }) => {
      await printed(1_000);
      for (let bytes = 0; bytes < wanted; bytes += wanted / 20) {
        await type('Gg'.repeat(60));
        await printed(bytes + wanted / 20);
      }
      await type('ddd');
    },
    expected: { screen: 'alternate', modes: { applicationCursorKeys: true } },
  },
  {
    name: 'htop',
    needs: 'htop',
    argv: ['htop', '-d', '1'],
    run: async ({ type, printed, wanted }) => {
      await printed(1_000);
      for (let bytes = 0; bytes < wanted; bytes += wanted / 40) {
        await type('tHKIt'.repeat(20));
        await printed(bytes + wanted / 40);
      }
    },
    expected: { screen: 'alternate', cursor: { isHidden: true } },
  },
  {
    name: 'tmux, with one pane that floods and one that is still',
    needs: 'tmux',
    argv: [
      ...['tmux', '-L', `shellscope-${process.pid}`, '-f', '/dev/null', 'new-session', 'echo still; exec cat', ';'],
      ...['split-window', '-h', 'while :; do seq -f "line %g of many" 300; done'],
    ],
    run: ({ printed, wanted }) => printed(wanted),
    expected: { screen: 'alternate' },
  },
  {
    name: 'progress bars that go up',
    needs: null,
    argv: [process.execPath, '-e', BARS],
    run: ({ printed, wanted }) => printed(wanted),
    expected: { screen: 'normal', cursor: { isHidden: true } },
  },
  {
    name: 'a progress bar in one line',
    needs: null,
    argv: [process.execPath, '-e', ONE_BAR],
    run: ({ printed, wanted }) => printed(wanted),
    expected: { screen: 'normal', modes: { bracketedPasteMode: true } },
  },
  {
    name: 'a log that scrolls',
    needs: null,
    argv: [process.execPath, '-e', LOG],
    run: ({ printed, wanted }) => printed(wanted),
    expected: { screen: 'normal', modes: { bracketedPasteMode: true, applicationCursorKeys: true } },
  },
];

/** Why a program cannot be tested with here; null when it can. Where all are expected, throws. */
export function missingProgram(name: string | null): string | null {
  if (name === null || isInstalled(name)) {
    return null;
  }
  const why = `${name} is not installed; npm run setup does that`;
  // That a test did not run must not look like success.
  if (process.env['CI'] !== undefined) {
    throw new Error(why);
  }
  return why;
}

function isInstalled(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      // Not in this one.
      return false;
    }
  });
}
