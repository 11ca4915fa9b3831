// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShownGrant } from '../../shared/session-rights.ts';
import type { WindowCommand } from '../../shared/window-commands.ts';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';

/** With the words around them: `Stop all that is left of …`, `…, codex, failed to start`. */
const MOST = 220;

const SCRIPT = `set -euo pipefail\n${'npm run lint -- --fix && '.repeat(300)}npm run deploy`;
const ARGV = ['/bin/bash', '-c', SCRIPT];
const CLIENT = { ...CODEX, client: 'an agent of long words '.repeat(100) };
const running = exampleSession({ id: 's1', argv: ARGV, origin: CLIENT, progress: { kind: 'normal', percent: 40 } });
const left = exampleSession({ id: 's2', argv: ARGV, origin: CLIENT, ...ended(0), treeEmpty: false });
const failed = exampleSession({ id: 's3', argv: ARGV, origin: CLIENT, state: 'failed', failure: 'There is no bash.' });

const GRANT: ShownGrant = {
  id: 'grant-1',
  client: CLIENT.client,
  holds: 'session',
  conversation: null,
  argv: ARGV,
  cwd: '/home/ada/app',
  sandbox: 'none',
  by: 'window',
  atMs: 1_000,
};

/** What is heard as one name: a label, or the words in what is named by them. */
const NAMED = '[aria-label], button, [role=tab], [role=treeitem], [role=option], h1, h2, h3';

describe('what a screen reader calls things by, where a command is a script of 300 lines', () => {
  let drawn: DrawnWindow;
  const names = (): string[] =>
    drawn.all(NAMED).map((element) => element.getAttribute('aria-label') ?? element.textContent);
  const tooLong = (): string[] => names().filter((name) => name.length > MOST);
  const open = (command: WindowCommand) => drawn.perform(() => drawn.host.command(command));

  beforeEach(async () => {
    // A page without layout has no room for rows otherwise.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(2_000);
    drawn = await drawnWindow();
    drawn.host.requests.listGrants.mockResolvedValue([GRANT]);
    drawn.host.requests.listSurvivors.mockResolvedValue([
      {
        session: left.id,
        processes: [{ pid: 77, command: SCRIPT, ageMs: 1, residentBytes: 1, listening: [] }],
      },
    ]);
    for (const session of [running, left, failed]) {
      await drawn.perform(() => drawn.host.put(session));
    }
  });
  afterEach(async () => {
    await drawn.end();
    vi.restoreAllMocks();
  });

  it('is short at the tabs, at their buttons and in all lists and panels, and tells both ends', async () => {
    expect(names().filter((name) => /^Close .*npm run deploy, /.test(name))).toHaveLength(3);
    expect(tooLong()).toEqual([]);
    for (const [command, words] of [
      ['toggle-sessions', /^set -euo.*npm run deploy running 40%/],
      ['toggle-survivors', /^Keep running: .*npm run deploy$/],
      ['toggle-grants', /^Revoke: .*npm run deploy"$/],
      ['toggle-environment', /^Environment$/],
      ['session-details', /^Session details$/],
      ['all-tabs', /^ ?set -euo.*npm run deploy an agent.* · running 40%$/],
      ['palette', /^Go to .*npm run deploy, an agent/],
      ['rename', /^Rename .*npm run deploy$/],
      ['close-tab', /^Keep it running$/],
    ] as const) {
      await open(command);
      expect(names()).toContainEqual(expect.stringMatching(words));
      expect([command, tooLong()]).toEqual([command, []]);
    }
  });

  it('tells apart those that begin and end alike, wherever several are told of', async () => {
    for (const [id, stage] of [
      ['s4', 'web'],
      ['s5', 'cli'],
    ] as const) {
      const argv = [
        '/bin/bash',
        '-c',
        SCRIPT.replace('-euo', `-euo pipefail && ${'make && '.repeat(20)}make ${stage}`),
      ];
      await drawn.perform(() => drawn.host.put(exampleSession({ id, argv, origin: CODEX })));
    }
    const told = (role: string): readonly string[] =>
      drawn.all(`[role=${role}]`).flatMap(({ textContent }) => /deploy (· \w+)/.exec(textContent)?.[1] ?? []);
    expect(told('tab')).toEqual(['· web', '· cli']);
    await open('toggle-sessions');
    expect(told('treeitem')).toEqual(['· web', '· cli']);
    await open('all-tabs');
    expect(told('option')).toEqual(['· web', '· cli']);
    expect(names()).toContainEqual(expect.stringMatching(/^Close .*npm run deploy · cli, codex, running$/));
  });

  it('leads to the whole command, in the details; the tooltip of a tab has as much as is seen of one', async () => {
    await drawn.perform(() => drawn.controller.select(running.id, 'to-pane'));
    await open('session-details');
    const shown = drawn.all('#session-details dd').map(({ textContent }) => textContent);
    expect(shown).toContain(`/bin/bash -c ${JSON.stringify(SCRIPT)}`);
    const [tab] = drawn.all('[role=tab]');
    // Chromium cuts a tooltip at 1,024 characters; what follows the command is seen.
    expect(tab?.title).toMatch(/…\n\/home\/ada\/src\nrunning 40%$/);
    expect(tab?.title.length).toBeLessThan(1_024);
  });
});
