import { watch } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecClient, Frame } from './exec-client.ts';
import { test as base } from './exec-world.ts';

// The first watch of a process opens a descriptor that libuv keeps for all later ones: it is nobody's leftover.
watch(tmpdir()).close();

/** A folder of the test's own, and a client that works in it. */
export interface FileWorld {
  readonly client: ExecClient;
  /** Absolute, no link in it. */
  readonly folder: string;
  /** The path of something in the folder. */
  at(path: string): string;
  /** Its file URI. */
  uri(path: string): string;
  /** A `fs/` method that must succeed: answers its result. */
  result(method: string, params: object): Promise<Frame>;
  /** One that must be refused: answers code and message. */
  refusal(method: string, params: object): Promise<readonly [code: number, message: string]>;
}

export const test = base.extend<{ files: FileWorld }>({
  files: async ({ world }, use) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-files-')));
    try {
      const client = await world.client();
      const uri = (path: string) => `file://${folder}/${path.split('/').map(encodeURIComponent).join('/')}`;
      await use({
        client,
        folder,
        at: (path) => join(folder, path),
        uri,
        result: async (method, params) => {
          const frame = await client.request(method, params);
          if (frame['result'] === undefined) {
            throw new Error(JSON.stringify(frame));
          }
          return frame['result'] as Frame;
        },
        refusal: async (method, params) => {
          const { error, result } = await client.request(method, params);
          if (error === undefined) {
            throw new Error(`was answered: ${JSON.stringify(result)}`);
          }
          const { code, message } = error as { readonly code: number; readonly message: string };
          return [code, message];
        },
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

export function base64(text: string | Uint8Array): string {
  return Buffer.from(text as Uint8Array).toString('base64');
}

export function fromBase64(text: unknown): Buffer {
  return Buffer.from(String(text), 'base64');
}
