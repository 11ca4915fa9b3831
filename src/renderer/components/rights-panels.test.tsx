// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ShownEnvironment, ShownGrant } from '../../shared/session-rights.ts';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, exampleSession } from '../testing/example-session.ts';

const GRANT: ShownGrant = {
  id: 'grant-1',
  client: 'codex',
  holds: 'session',
  conversation: 'thread-1',
  argv: ['npm', 'test', '--', 'a b'],
  cwd: '/home/ada/app',
  sandbox: 'workspace-write, no network',
  by: 'window',
  atMs: new Date(2026, 10, 21, 13, 4, 5).getTime(),
};

const ENVIRONMENT: ShownEnvironment = {
  given: [
    { name: 'HOME', source: 'host' },
    { name: 'HTTP_PROXY', source: 'shellscope' },
    { name: 'PAGER', source: 'rule' },
    { name: 'PORT', source: 'client' },
  ],
  secretsKeptOut: ['GITHUB_TOKEN'],
  notGiven: ['DISPLAY', 'EDITOR'],
};

describe('what agents were allowed', () => {
  let drawn: DrawnWindow;
  const panel = (): HTMLElement | null => drawn.one('#grants-panel');

  beforeEach(async () => {
    drawn = await drawnWindow();
    drawn.host.requests.listGrants.mockResolvedValue([GRANT, { ...GRANT, id: 'grant-2', client: 'other' }]);
    await drawn.perform(() => drawn.host.put(exampleSession({ origin: CODEX })));
  });
  afterEach(() => drawn.end());

  it('is listed by client, with where and how long it holds, and asked for only while somebody looks', async () => {
    expect(drawn.host.requests.listGrants).not.toHaveBeenCalled();
    await drawn.perform(() => drawn.host.command('toggle-grants'));
    expect(document.activeElement).toBe(panel());
    expect(drawn.all('#grants-panel section').map((group) => group.getAttribute('aria-label'))).toEqual([
      'Allowed to codex',
      'Allowed to other',
    ]);
    const [first] = drawn.all('#grants-panel li');
    expect(first?.querySelector('code')?.textContent).toBe('npm test -- "a b"');
    expect(first?.querySelector('.rights-facts')?.textContent).toMatch(
      /^in \/home\/ada\/app · in the sandbox workspace-write, no network · in the conversation thread-1 · until it disconnects · allowed by you at /,
    );
    await drawn.press('Escape');
    expect([panel(), document.activeElement]).toEqual([null, drawn.one('#panel-s1 textarea')]);
  });

  it('is taken back one by one, and the focus stays in the panel', async () => {
    await drawn.perform(() => drawn.host.command('toggle-grants'));
    drawn.host.requests.listGrants.mockResolvedValue([]);
    const [revoke] = drawn.all('#grants-panel li button');
    await drawn.perform(() => (revoke as HTMLButtonElement).click());
    expect(drawn.host.requests.revokeGrant.mock.calls).toEqual([['grant-1']]);
    expect(document.activeElement).toBe(panel());
    expect(panel()?.querySelector('[role=status]')?.textContent).toBe('Nothing is allowed beyond single runs.');
  });

  it('that had ended, or could not be taken back, is told', async () => {
    await drawn.perform(() => drawn.host.command('toggle-grants'));
    drawn.host.requests.revokeGrant.mockResolvedValueOnce({ revoked: false });
    await drawn.perform(() => (drawn.all('#grants-panel li button')[0] as HTMLButtonElement).click());
    drawn.host.requests.revokeGrant.mockRejectedValueOnce(new Error('The host is gone.'));
    await drawn.perform(() => (drawn.all('#grants-panel li button')[0] as HTMLButtonElement).click());
    expect(drawn.all('.notice > p').map((notice) => notice.textContent)).toEqual([
      'That had ended already.',
      'It is still allowed. The host is gone.',
    ]);
  });

  it('and the other panels take each other’s place', async () => {
    await drawn.perform(() => drawn.host.command('toggle-survivors'));
    await drawn.perform(() => drawn.host.command('toggle-grants'));
    expect([panel() === null, drawn.one('#survivors-panel')]).toEqual([false, null]);
    await drawn.perform(() => drawn.host.command('toggle-environment'));
    expect([panel(), drawn.one('#environment-panel') === null]).toEqual([null, false]);
    await drawn.perform(() => drawn.host.command('toggle-survivors'));
    expect([drawn.one('#environment-panel'), drawn.one('#survivors-panel') === null]).toEqual([null, false]);
  });
});

describe('the environment of the session in view', () => {
  let drawn: DrawnWindow;
  const groups = (): unknown[] =>
    drawn
      .all('#environment-panel details')
      .map((group) => [
        group.getAttribute('data-source'),
        group.hasAttribute('open'),
        [...group.querySelectorAll('li')].map((name) => name.textContent),
      ]);

  beforeEach(async () => {
    drawn = await drawnWindow();
    await drawn.perform(() => drawn.host.put(exampleSession({ origin: CODEX })));
  });
  afterEach(() => drawn.end());

  it('says of each variable where it came from, and first what was kept out', async () => {
    drawn.host.requests.sessionEnvironment.mockResolvedValue(ENVIRONMENT);
    await drawn.perform(() => drawn.host.command('toggle-environment'));
    expect(drawn.host.requests.sessionEnvironment.mock.calls).toEqual([['s1']]);
    expect(groups()).toEqual([
      ['secrets', true, ['GITHUB_TOKEN']],
      ['client', true, ['PORT']],
      ['rule', true, ['PAGER']],
      ['shellscope', true, ['HTTP_PROXY']],
      ['host', true, ['HOME']],
      ['not-given', false, ['DISPLAY', 'EDITOR']],
    ]);
  });

  it('goes with the last session, and takes no keyboard when an agent opens the next one', async () => {
    await drawn.perform(() => drawn.host.command('toggle-environment'));
    await drawn.perform(() => drawn.host.remove('s1'));
    await drawn.perform(() => drawn.host.put(exampleSession({ id: 's2', origin: CODEX })));
    expect(drawn.one('#environment-panel')).toBeNull();
  });

  it('of one that never ran, ran in an earlier start of the app, or cannot be told, is a sentence', async () => {
    const status = () => drawn.one('#environment-panel [role=status]')?.textContent;
    await drawn.perform(() => drawn.host.command('toggle-environment'));
    expect(status()).toMatch(/^It ran before Shellscope was started/);
    await drawn.perform(() => drawn.host.put(exampleSession({ origin: CODEX, state: 'failed' })));
    expect(status()).toBe('It never ran, and was given nothing.');
    await drawn.perform(() => drawn.host.command('toggle-environment'));
    drawn.host.requests.sessionEnvironment.mockRejectedValueOnce(new Error('It is gone.'));
    await drawn.perform(() => drawn.host.command('toggle-environment'));
    expect(status()).toBe('It cannot be told. It is gone.');
  });
});
