import { createRequire } from 'node:module';
import type * as Unicode11 from '@xterm/addon-unicode11';
import type * as Headless from '@xterm/headless';
import { setUpCells } from '../src/shared/printed-cells.ts';
import { screenState, type ScreenState } from '../src/shared/screen-state.ts';
import type { ExecClient } from '../test/support/exec-client.ts';
import type { Shellscope } from './fixtures.ts';

// Both are CommonJS without names that Node could find.
const require = createRequire(import.meta.url);
const { Terminal } = require('@xterm/headless') as typeof Headless;
const { Unicode11Addon } = require('@xterm/addon-unicode11') as typeof Unicode11;

const SIZE = { cols: 80, rows: 24 };

/** A terminal that sees all of a process's output, as it comes to the client. */
export function startWitness(agent: ExecClient, processId: string) {
  const terminal = new Terminal({ ...SIZE, allowProposedApi: true, logLevel: 'off' });
  setUpCells(terminal, new Unicode11Addon());
  let read = 0;
  let bytes = 0;
  /** Takes what has come since, and answers how much that was in all. */
  const look = async (): Promise<number> => {
    const frames = agent.frames.slice(read) as readonly {
      method?: string;
      params?: { processId: string; chunk: string };
    }[];
    read += frames.length;
    const chunks = frames
      .filter(({ method, params }) => method === 'process/output' && params?.processId === processId)
      .map(({ params }) => Buffer.from(params?.chunk ?? '', 'base64'));
    // In one go: each write takes a turn of the terminal's own, and thousands of them take longer than the program prints.
    const output = Buffer.concat(chunks);
    bytes += output.length;
    await new Promise<void>((resolve) => terminal.write(output, resolve));
    return bytes;
  };
  /** The last row, after what has come since. */
  const lastRow = async (): Promise<string | undefined> => {
    await look();
    return state().rows.at(-1);
  };
  const state = (): ScreenState => screenState(terminal);
  return { look, lastRow, state, dispose: () => terminal.dispose() };
}

/** What the window shows of a session; null while that has no terminal. */
export async function stateOf({ page }: Shellscope, sessionId: string): Promise<ScreenState | null> {
  return page.evaluate(
    (id) =>
      (
        window as unknown as { readonly shellscopeTest: { screenState(id: string): ScreenState | null } }
      ).shellscopeTest.screenState(id),
    sessionId,
  );
}
