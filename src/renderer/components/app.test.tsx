// @vitest-environment happy-dom
import { act } from 'react';
import type { Root } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutputProgress } from '../output-progress.ts';
import { all, button, drawWindow, perform, press } from '../testing/drawn-window.tsx';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { installRegionKeys } from '../window/page-focus.ts';

const tabs = (): HTMLElement[] => all('[role=tab]');
const tabNames = (): (string | null)[] => tabs().map((tab) => tab.textContent);
const told = (...selectors: readonly string[]): unknown[] => selectors.map((one) => all(one)[0]?.textContent);
const shownPanels = (): HTMLElement[] => all('[role=tabpanel]').filter((panel) => !panel.hasAttribute('hidden'));
const npmTest = exampleSession({ id: 's1', argv: ['/bin/bash', '-lc', 'npm test'], origin: CODEX });
const shell = exampleSession({ id: 's2', startedAtMs: 2_000 });
const failed = exampleSession({ id: 's3', startedAtMs: 3_000, state: 'failed', failure: 'nope was not found.' });

describe('the window', () => {
  let host: FakeHost;
  let root: Root;
  let stopRegionKeys: () => void;

  beforeEach(() => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    host = new FakeHost();
    stopRegionKeys = installRegionKeys(window);
  });

  afterEach(async () => {
    await act(async () => root.unmount());
    stopRegionKeys();
    document.body.replaceChildren();
  });

  it('teaches, while it is empty, how to begin', async () => {
    root = await drawWindow(host);
    expect(tabs()).toEqual([]);
    expect(document.activeElement).toBe(button('New shell'));
    expect(document.body.textContent).toContain('waiting for an agent…');
    expect(document.body.textContent).toContain('include_local = false');
    await perform(() => host.connect({ clients: [null] }));
    expect(told('.proof', '.agents')).toEqual(['1 agent connected', '1 agent connected']);
    await perform(() => host.connect({ clients: ['codex-environment'], mcpClients: ['claude-code'] }));
    expect(told('.proof', '.agents')).toEqual(['codex, claude-code connected', 'codex, claude-code connected']);
    await perform(() => host.connect({}));
    expect(told('.proof', '.agents')).toEqual(['waiting for an agent…', undefined]);
  });

  it('shows the token to nobody, and copies the real one', async () => {
    root = await drawWindow(host);
    expect(document.body.innerHTML).not.toContain('secret-token');
    await perform(() => button('Copy the block for Codex, with the token').click());
    expect(host.requests.writeClipboard.mock.calls[0]?.[0]).toContain('auth_bearer_token = "secret-token"');
  });

  it('says what is wrong when agents cannot connect, instead of lines that would not work', async () => {
    root = await drawWindow(host);
    await perform(() => host.connect({ execServerUrl: null, problem: 'Agents cannot connect: EACCES' }));
    expect(all('.connect-problem').map((alert) => alert.textContent)).toEqual(['Agents cannot connect: EACCES']);
    expect(document.body.textContent).not.toContain('environments.toml');
    expect(document.body.textContent).toContain('not listening for agents');
  });

  it('shows what an agent wants a person for, as plain text, and takes the answer to it', async () => {
    const attention = {
      id: 'attention-1',
      kind: 'secret',
      message: '<b>the password</b>',
      askedAtMs: 1,
      untilMs: 2,
    } as const;
    host.put({ ...npmTest, attention });
    root = await drawWindow(host);
    expect(all('.attention-line').map(({ textContent }) => textContent)).toEqual([
      'codex asks you to type what it must not see: <b>the password</b>DeclineDone',
    ]);
    await perform(() => button('Done').click());
    expect(host.requests.answerAttention.mock.calls).toEqual([['s1', 'attention-1', 'done']]);
    await perform(() => host.put(npmTest));
    expect(all('.attention-line').map(({ textContent }) => textContent)).toEqual(['']);
  });

  it('names each tab by what runs, who asked, and its state, and carries the facts for tools', async () => {
    host.put({ ...npmTest, ...ended(1) });
    host.put(shell);
    host.put(failed);
    root = await drawWindow(host);
    expect(tabNames()).toEqual(['npm test, codex, exited 1', 'zsh, you, running', 'zsh, you, failed to start']);
    expect(tabs().map(({ dataset }) => [dataset['sessionId'], dataset['state'], dataset['exitCode']])).toEqual([
      ['s1', 'closed', '1'],
      ['s2', 'running', undefined],
      ['s3', 'failed', undefined],
    ]);
    for (const tab of tabs()) {
      expect(document.getElementById(tab.getAttribute('aria-controls') ?? '')?.getAttribute('role')).toBe('tabpanel');
    }
  });

  it('has one tab in the tab order, and moves through the others with the arrows, Home and End', async () => {
    host.put(npmTest);
    host.put(shell);
    host.put(failed);
    root = await drawWindow(host);
    const order = (): number[] => tabs().map(({ tabIndex }) => tabIndex);
    expect(order()).toEqual([-1, 0, -1]);
    await perform(() => tabs()[1]?.focus());
    await press('ArrowRight');
    expect([order(), document.activeElement]).toEqual([[-1, -1, 0], tabs()[2]]);
    await press('ArrowRight');
    expect(document.activeElement).toBe(tabs()[0]);
    await press('End');
    expect(document.activeElement).toBe(tabs()[2]);
    await press('Home');
    expect([order(), document.activeElement]).toEqual([[0, -1, -1], tabs()[0]]);
    expect(shownPanels().map(({ id }) => id)).toEqual(['panel-s1']);
    await press('Enter');
    expect(document.activeElement).toBe(document.querySelector('#panel-s1 textarea'));
  });

  it('calls a shell by its number as well where it asks about it', async () => {
    const folder = { host: null, path: '/tmp', isHome: false };
    host.put({ ...exampleSession({ id: 's4', startedAtMs: 4_000 }), folder });
    host.put({ ...exampleSession({ id: 's5', startedAtMs: 5_000 }), folder });
    root = await drawWindow(host);
    expect(tabNames().at(-1)).toMatch(/^zsh: tmp \(2\), you/);
    await perform(() => host.command('rename'));
    expect(document.querySelector('[role=dialog]')?.getAttribute('aria-label')).toBe('Rename zsh: tmp (2)');
    await press('Escape');
    await perform(() => host.command('close-tab'));
    expect(document.querySelector('.close-question strong')?.textContent).toBe('zsh: tmp (2)');
  });

  it('gives the keyboard to the pane of a clicked tab, also when it was hidden before or has no terminal', async () => {
    host.put(npmTest);
    host.put(shell);
    host.put(failed);
    root = await drawWindow(host);
    for (const id of ['s1', 's2', 's1']) {
      await perform(() => document.getElementById(`tab-${id}`)?.click());
      expect(document.activeElement).toBe(document.querySelector(`#panel-${id} textarea`));
    }
    await perform(() => document.getElementById('tab-s3')?.click());
    expect(document.activeElement).toBe(document.getElementById('panel-s3'));
    await perform(() => document.getElementById('tab-s1')?.click());
    expect(document.activeElement).toBe(document.querySelector('#panel-s1 textarea'));
  });

  it('leaves the keyboard and the selection alone when an agent opens a session', async () => {
    root = await drawWindow(host);
    host.nextShell = shell;
    await perform(() => button('New shell').click());
    const terminal = document.querySelector('#panel-s2 textarea');
    expect(document.activeElement).toBe(terminal);
    await perform(() => host.put({ ...npmTest, startedAtMs: 9_000 }));
    expect(document.activeElement).toBe(terminal);
    expect(tabs().map((tab) => tab.getAttribute('aria-selected'))).toEqual(['true', 'false']);
  });

  it('asks before it ends a running child, with the answer that loses nothing in focus', async () => {
    host.put(npmTest);
    root = await drawWindow(host);
    await perform(() => button('Close npm test, codex, running').click());
    const question = document.querySelector('[role=alertdialog]');
    expect(question?.textContent).toMatch(
      /npm test is still running for codex, since .*Ending it stops everything it started/,
    );
    expect(document.activeElement).toBe(button('Keep it running'));
    await press('Escape');
    expect(document.querySelector('[role=alertdialog]')).toBeNull();
    expect(host.requests.closeSession).not.toHaveBeenCalled();
    await perform(() => button('Close npm test, codex, running').click());
    await perform(() => button('End and close').click());
    expect(host.requests.closeSession).toHaveBeenCalledWith('s1');
    expect(tabs()).toEqual([]);
  });

  it('closes an ended session with Delete on its tab and with the middle button, without a question', async () => {
    host.put({ ...npmTest, ...ended(0) });
    host.put({ ...shell, ...ended(0) });
    root = await drawWindow(host);
    await perform(() => tabs()[0]?.dispatchEvent(new MouseEvent('auxclick', { button: 1, bubbles: true })));
    expect(tabNames()).toEqual(['zsh, you, exited 0']);
    await perform(() => tabs()[0]?.focus());
    await press('Delete');
    expect(tabs()).toEqual([]);
    expect(document.activeElement).toBe(button('New shell'));
  });

  it('says beneath the terminal how the session ended, and runs it again as the person’s own', async () => {
    host.put({ ...npmTest, ...ended(3) });
    root = await drawWindow(host);
    const line = (): string | null | undefined =>
      shownPanels()[0]?.querySelector('.exit-line [role=status]')?.textContent;
    expect(line()).toBe('exited with code 3 after 1.2 s');
    host.nextShell = exampleSession({ id: 's9', argv: npmTest.argv, startedAtMs: 9_000 });
    await perform(() => button('Run again').click());
    expect(host.requests.runAgain.mock.calls).toEqual([['s1', { cols: 80, rows: 24 }]]);
    expect(document.activeElement).toBe(document.querySelector('#panel-s9 textarea'));
    await perform(() => host.put({ ...shell, ...ended(null, 'SIGTERM'), endedAtMs: 3_200, endedBy: 'person' }));
    await perform(() => document.getElementById('tab-s2')?.click());
    expect(line()).toBe('killed by SIGTERM by you after 1.2 s');
    expect(button('Run again')).toBeDefined();
  });

  it('shows why a session could not be started, once', async () => {
    host.put(failed);
    root = await drawWindow(host);
    expect(shownPanels()[0]?.textContent.split('nope was not found.')).toHaveLength(2);
    expect(document.querySelector('.terminal-host')).toBeNull();
    // What never ran has neither a size nor an output.
    expect(document.querySelector('.facts')?.textContent).toBe('/home/ada/srcpid 4121');
  });

  it('frames an agent’s terminal with its size and who set it, and fills the pane with the person’s', async () => {
    host.put(npmTest);
    host.put(shell);
    root = await drawWindow(host);
    const fit = (id: string): string | undefined =>
      document.querySelector<HTMLElement>(`#panel-${id} .pane`)?.dataset['fit'];
    expect([fit('s1'), fit('s2')]).toEqual(['fixed', 'fill']);
    expect(document.querySelector('.size-words')?.textContent).toBe('80×24 set by codex');
  });

  it('tells a failed request in the alert region until it is dismissed', async () => {
    root = await drawWindow(host);
    await perform(() => button('New shell').click());
    const notices = (): string | null | undefined => document.querySelector('.notices[role=alert]')?.textContent;
    expect(notices()).toBe('A new shell could not be opened. No shell was found.');
    await perform(() => button('Dismiss').click());
    expect(notices()).toBe('');
  });

  it('opens the guide to connecting an agent beside the sessions, and gives the keyboard back with Escape', async () => {
    host.put(npmTest);
    root = await drawWindow(host);
    const opener = button('Connect an agent');
    await perform(() => opener.click());
    const panel = document.querySelector<HTMLElement>('[role=dialog]');
    expect(panel?.getAttribute('aria-label')).toBe('Connect an agent');
    expect(document.activeElement).toBe(panel);
    await press('Escape');
    expect(document.querySelector('[role=dialog]')).toBeNull();
    expect(document.activeElement).toBe(opener);
  });

  it('counts the bytes of the session in view as they come to its screen', async () => {
    host.put({ ...npmTest, outputBytes: 800 });
    const progress = new OutputProgress();
    root = await drawWindow(host, progress);
    const facts = (): string | undefined => document.querySelector('.facts')?.textContent;
    expect(facts()).toBe('80×24 set by codex/home/ada/srcpid 4121800 B out');
    await perform(() => progress.store.setState(new Map([[npmTest.id, 3_200_000]]), true));
    expect(facts()).toContain('3.2 MB out');
  });

  it('lets the keyboard out of a running terminal with Ctrl+F6, and leaves F6 to the program', async () => {
    host.put(npmTest);
    root = await drawWindow(host);
    await perform(() => tabs()[0]?.click());
    const terminal = document.querySelector('#panel-s1 textarea');
    expect(document.activeElement).toBe(terminal);
    await press('F6');
    expect(document.activeElement).toBe(terminal);
    await press('F6', { ctrlKey: true });
    expect(document.activeElement?.closest('.pane-bar')).not.toBeNull();
    await press('F6');
    expect(document.activeElement?.textContent).toBe('Details');
    await press('F6');
    expect(document.activeElement).toBe(tabs()[0]);
    await press('F6');
    expect(document.activeElement).toBe(terminal);
  });
});
