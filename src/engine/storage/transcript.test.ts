import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { SessionInfo } from '../../shared/session.ts';
import { Transcript } from './transcript.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'shellscope-transcript-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function transcriptIn(name: string): Transcript {
  return new Transcript({
    folder: join(FOLDER, name),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    info: () => ({ id: name }) as unknown as SessionInfo,
    onKept: () => {},
    onClosed: () => {},
  });
}

function print(transcript: Transcript, seq: number, offset: number, text: string): void {
  const bytes = Buffer.from(text);
  transcript.output({ kind: 'output', seq, offset, stream: 'pty', bytes, atMs: 0, trimmed: false });
}

async function kept(transcript: Transcript): Promise<string | undefined> {
  const page = await transcript.read(0, 1_000, 1_000);
  return page?.pieces.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

describe('the first file of a transcript, which is made ahead', () => {
  // Whether it is there before the first output, after it, or in between.
  for (const turns of [0, 1, 2, 3, 5, 20]) {
    test(`holds all output when the first comes ${turns} turns of the loop after it is begun`, async () => {
      const transcript = transcriptIn(`after-${turns}`);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      transcript.started();
      vi.runAllTimers();
      vi.useRealTimers();
      for (let turned = 0; turned < turns; turned += 1) {
        await turn();
      }
      print(transcript, 1, 0, 'early ');
      for (let turned = 0; turned < 100; turned += 1) {
        await turn();
      }
      print(transcript, 2, 6, 'late');
      transcript.closed();
      expect(await kept(transcript)).toBe('early late');
      expect(readdirSync(transcript.folder)).toHaveLength(1);
    });
  }

  test('is there before anything was printed, and the first output makes no other', async () => {
    const transcript = transcriptIn('ahead');
    transcript.started();
    while (!existsSync(transcript.folder) || readdirSync(transcript.folder).length === 0) {
      await turn();
    }
    await vi.waitUntil(() => transcript.keptBytes > 0);
    expect(await kept(transcript)).toBeUndefined();
    print(transcript, 1, 0, 'first');
    transcript.closed();
    expect(await kept(transcript)).toBe('first');
  });

  test('is not made for a child that never ran', async () => {
    const transcript = transcriptIn('never');
    transcript.closed();
    expect(existsSync(transcript.folder)).toBe(false);
  });
});
