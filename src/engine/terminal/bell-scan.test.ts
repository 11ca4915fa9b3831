import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BellScan } from './bell-scan.ts';

const PIECES = ['\u0007', '\u001B', ']0;t', '\\', '[31m', 'P+q', '_', 'text', '\u0018', '\n', '\u007F', '('];

/** Which of some pieces a terminal rings at. */
async function bellsOf(pieces: readonly Buffer[]): Promise<boolean[]> {
  const terminal = new Terminal({ allowProposedApi: true, logLevel: 'off' });
  const rings: boolean[] = [];
  let rang = false;
  terminal.onBell(() => (rang = true));
  for (const piece of pieces) {
    rang = false;
    await new Promise<void>((resolve) => terminal.write(piece, resolve));
    rings.push(rang);
  }
  terminal.dispose();
  return rings;
}

test('rings where a terminal does, however the output is cut', async () => {
  const outputs = fc.array(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(outputs, async (parts) => {
      const pieces = parts.map((part) => Buffer.from(part.join('')));
      const scan = new BellScan();
      expect(pieces.map((piece) => scan.rings(piece))).toEqual(await bellsOf(pieces));
    }),
  );
});
