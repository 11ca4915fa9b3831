import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { McpAgent } from '../support/mcp-agent.ts';
import { test, type Era, type Road } from '../support/mcp-world.ts';

const ROADS: readonly (readonly [Road, Era])[] = [
  ['stdio', 'modern'],
  ['stdio', 'legacy'],
  ['http', 'modern'],
  ['http', 'legacy'],
];

const uriOf = (id: string) => `shell://session/${id}/output`;

/** What an agent is told, with the time of each, and a wait for more. */
class Told {
  readonly updates: { readonly uri: string; readonly atMs: number }[] = [];
  lists = 0;
  #wake = () => {};

  constructor({ client }: McpAgent) {
    client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
      this.updates.push({ uri, atMs: performance.now() });
      this.#wake();
    });
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      this.lists += 1;
      this.#wake();
    });
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Subscribes as clients of that revision do. Answers how they stop. */
async function subscribed({ client }: McpAgent, era: Era, uris: readonly string[]): Promise<() => Promise<unknown>> {
  if (era === 'modern') {
    const subscription = await client.listen({ resourceSubscriptions: [...uris], resourcesListChanged: true });
    return () => subscription.close();
  }
  await Promise.all(uris.map((uri) => client.subscribeResource({ uri })));
  return () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri })));
}

describe.for(ROADS)('changes over %s, %s', ([road, era]) => {
  test('more output of a session is told to who subscribed to it, and no longer when they stop', async ({ world }) => {
    const agent = await world.connect(road, era);
    const told = new Told(agent);
    const [mine, other] = [
      await agent.ok('shell_open', { command: 'exec cat' }),
      await agent.ok('shell_open', { command: 'exec cat' }),
    ];
    const stop = await subscribed(agent, era, [uriOf(mine.session_id)]);
    await agent.ok('shell_write', { session_id: other.session_id, text: 'unheard', submit: true });
    await agent.ok('shell_write', { session_id: mine.session_id, text: 'heard', submit: true });
    await told.until(() => told.updates.length > 0);
    const { contents } = await agent.client.readResource({ uri: told.updates[0]?.uri ?? '' });
    expect(contents).toMatchObject([{ text: expect.stringContaining('heard') }]);
    expect(new Set(told.updates.map(({ uri }) => uri))).toEqual(new Set([uriOf(mine.session_id)]));
    await stop();
    const before = told.updates.length;
    await agent.ok('shell_write', { session_id: mine.session_id, text: 'unheard', submit: true });
    await agent.ok('shell_wait', { session_ids: [mine.session_id], until: 'idle', idle_ms: 700 });
    expect(told.updates.length).toBe(before);
  });

  test('a flood is told of some times a second, and sessions that come and go as a list', async ({ world }) => {
    const agent = await world.connect(road, era);
    const told = new Told(agent);
    const go = join(tmpdir(), `shellscope-go-${process.pid}-${road}-${era}`);
    const command = `until [ -e ${go} ]; do sleep 0.02; done; for i in $(seq 300); do seq 200; sleep 0.01; done`;
    const { session_id } = await agent.ok('shell_exec', { command, background: true });
    const stop = await subscribed(agent, era, [uriOf(session_id)]);
    try {
      await writeFile(go, '');
      const startedAt = performance.now();
      await agent.ok('shell_wait', { session_ids: [session_id] });
      const seconds = (performance.now() - startedAt) / 1000;
      await told.until(() => told.updates.length > 1);
      expect(told.updates.length).toBeLessThanOrEqual(2 + 2 * seconds);
      const before = told.lists;
      await agent.ok('shell_exec', { command: 'true' });
      await told.until(() => told.lists > before);
      await agent.ok('exec_command', { cmd: 'true' });
      await told.until(() => told.lists > before + 1);
    } finally {
      await rm(go, { force: true });
      await stop();
    }
  });
});

test('another client’s session cannot be subscribed to, and an address that is none is refused', async ({ world }) => {
  const agent = await world.connect('stdio', 'legacy');
  await expect(agent.client.subscribeResource({ uri: uriOf('session-9') })).rejects.toThrow(
    'unknown session session-9',
  );
  await expect(agent.client.subscribeResource({ uri: 'shell://nothing' })).rejects.toThrow(
    'uri: must be shell://session/ID/output, not shell://nothing',
  );
});
