import type { Terminal } from '@xterm/headless';
import { describe, expect } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { feed, headlessTerminal } from '../../src/engine/terminal/headless-terminal.ts';
import { shownState } from '../../src/engine/terminal/testing/shown-state.ts';
import { PANE_REPLAY_BYTES } from '../../src/shared/limits.ts';
import type { SessionId, TerminalSize } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';
import { SCREEN_PROGRAMS, missingProgram } from '../support/screen-programs.ts';

/** What memory holds of a session here, and how much more the programs print: what they drew first is long gone. */
const RETAINED_BYTES = 1024 * 1024;
const PRINTED_BYTES = 3 * RETAINED_BYTES;

const SIZE: TerminalSize = { cols: 160, rows: 50 };

interface Printed {
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly size: TerminalSize;
}

/** Everything that a session prints, from its first byte on. */
function follow(engine: Engine, id: SessionId, afterSeq: number) {
  const printed: Printed[] = [];
  const handle = engine.follow(id, {
    afterSeq,
    creditBytes: Number.MAX_SAFE_INTEGER,
    holdsChildMs: 0,
    onEvent: (event) => {
      if (event.kind === 'output') {
        printed.push({ offset: event.offset, bytes: event.bytes, size: engine.sizeAt(id, event.offset) ?? SIZE });
        handle?.ack(event.offset + event.bytes.length);
      }
    },
  });
  return { printed, close: () => handle.close() };
}

const endOf = (printed: readonly Printed[]): number => {
  const last = printed.at(-1);
  return last === undefined ? 0 : last.offset + last.bytes.length;
};

/** Output from one offset to another, on a terminal that begins with `start`. */
async function shown(
  printed: readonly Printed[],
  to: number,
  start: { readonly offset: number; readonly size: TerminalSize; readonly bytes: Uint8Array } | null,
): Promise<Terminal> {
  const terminal = headlessTerminal({ size: start?.size ?? SIZE, scrollback: 100, convertEol: false });
  await feed(terminal, start?.bytes ?? '');
  for (const { offset, bytes, size } of printed) {
    const from = Math.max(0, (start?.offset ?? 0) - offset);
    if (size.cols !== terminal.cols || size.rows !== terminal.rows) {
      terminal.resize(size.cols, size.rows);
    }
    await feed(terminal, bytes.subarray(from, Math.max(from, to - offset)));
  }
  return terminal;
}

describe('a replay of what is left in memory', () => {
  test.override({ engineOptions: { retainedBytes: RETAINED_BYTES } });

  for (const program of SCREEN_PROGRAMS) {
    const missing = missingProgram(program.needs);
    const why = missing === null ? '' : ` (not here: ${missing})`;
    test.skipIf(missing !== null)(
      `shows the screen and is in the modes of a terminal that saw everything: ${program.name}${why}`,
      { timeout: 60_000 },
      async ({ world }) => {
        const { id } = await world.start(program.argv, {
          backend: { kind: 'pty', size: SIZE },
          environment: {
            kind: 'inherit',
            from: 'all',
            excludeCredentials: false,
            exclude: [],
            set: { TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
            includeOnly: [],
            overlay: {},
          },
        });
        const all = follow(world.engine, id, 0);
        await program.run({
          type: (text) => world.engine.write(id, new TextEncoder().encode(text)),
          printed: async (bytes) => {
            while (endOf(all.printed) < bytes) {
              await world.engine.nextActivity(id, (await world.engine.get(id)).activity);
            }
          },
          wanted: PRINTED_BYTES + 1,
        });
        expect(endOf(all.printed)).toBeGreaterThan(PRINTED_BYTES);

        const start = await world.engine.replayStart(id, PANE_REPLAY_BYTES);
        expect(start?.offset).toBeGreaterThan(PRINTED_BYTES - RETAINED_BYTES);
        const { outputBytes } = await world.engine.get(id);
        const rest = follow(world.engine, id, world.engine.replayFrom(id, outputBytes - (start?.offset ?? 0)));
        const end = Math.min(endOf(all.printed), endOf(rest.printed));
        all.close();
        rest.close();
        const seen = await shown(all.printed, end, null);
        const replayed = await shown(rest.printed, end, start);
        try {
          expect(shownState(seen)).toMatchObject(program.expected);
          expect(shownState(replayed)).toEqual(shownState(seen));
        } finally {
          seen.dispose();
          replayed.dispose();
          await world.engine.close(id, 'person');
        }
      },
    );
  }
});
