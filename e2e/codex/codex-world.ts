import type { WindowApi } from '../../src/shared/ipc.ts';
import type { SessionInfo } from '../../src/shared/session.ts';
import { expect, test as base, type Shellscope } from '../fixtures.ts';
import { Codex, type SandboxMode } from './codex-client.ts';
import { ExecProxy } from './exec-proxy.ts';
import { MockModel } from './mock-model.ts';

interface Fixtures {
  readonly model: MockModel;
  /** None unless a test asks for one: most is about where commands run. */
  readonly sandboxMode: SandboxMode;
  readonly codex: Codex;
  /** The way to the app that `codex` takes, where a test asks for it. */
  readonly network: ExecProxy;
}

/** The app, the real Codex and a model that the test plays. */
export const test = base.extend<Fixtures>({
  model: async ({}, use) => {
    const model = await MockModel.listen();
    await use(model);
    await model.close();
    expect(model.strays, 'Codex asks nobody but its model').toEqual([]);
  },

  sandboxMode: ['danger-full-access', { option: true }],

  codex: async ({ model, sandboxMode }, use) => {
    const codex = await Codex.create(model, sandboxMode);
    await use(codex);
    await codex.dispose();
  },

  network: async ({ shellscope, codex }, use) => {
    const { url } = await shellscope.connection();
    const network = await ExecProxy.listen(url);
    const block = await copiedBlock(shellscope);
    expect(block).toContain(url);
    await codex.writeEnvironments(block.replaceAll(url, network.url));
    await use(network);
    await network.close();
  },
});

export { expect };

/** What is known of a session that Codex started by that call. */
export function byCodex(threadId: string, callId: string): object {
  return { kind: 'agent', client: 'codex-environment', processId: expect.any(String), threadId, callId };
}

/** What a person gets who presses the button beside a block for Codex. */
export async function copiedBlock(
  { app, page }: Shellscope,
  block = 'the block for Codex, with the token',
): Promise<string> {
  await page.getByRole('button', { name: `Copy ${block}` }).click();
  await expect(page.getByText(`Copied ${block}`)).toBeAttached();
  return app.evaluate(({ clipboard }: { readonly clipboard: { readText(): string | Promise<string> } }) =>
    clipboard.readText(),
  );
}

export async function sessionsOf({ page }: Shellscope): Promise<readonly SessionInfo[]> {
  const { sessions } = await page.evaluate(() =>
    (window as unknown as { readonly shellscope: WindowApi }).shellscope.listSessions(),
  );
  return sessions;
}
