// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { clipboardPayload } from '../testing/osc-52.ts';

const session = exampleSession({ origin: CODEX, argv: ['bash', '-lc', 'npm test'] });

describe('the question whether a program may set the clipboard', () => {
  let drawn: DrawnWindow;
  const question = (): string[] =>
    drawn.all('.clipboard-wish > :is(p, pre)').map(({ textContent }) => textContent.replaceAll(/\s+/g, ' '));
  const asked = (text: string): Promise<void> =>
    drawn.perform(() => drawn.controller.clipboard.requested(session, clipboardPayload(text)));
  const passed = (ms: number): Promise<void> => drawn.perform(() => vi.advanceTimersByTime(ms));

  beforeEach(async () => {
    vi.useFakeTimers();
    drawn = await drawnWindow();
    await drawn.perform(() => drawn.host.put(session));
  });
  afterEach(async () => {
    await drawn.end();
    vi.useRealTimers();
  });

  it('says whose it is, how long the text is, and what it begins with', async () => {
    await asked('a\u001Bb\nc\nd\ne\nf\n');
    expect(question()).toEqual([
      'npm test of codex wants to put text on the clipboard: 12 characters in 5 lines, with a line break at the end',
      'a\\u001bb c d… 2 more lines',
    ]);
    expect(drawn.one('.clipboard-question [role=status]')?.textContent).toMatch(
      /^npm test of codex wants .* 12 characters/,
    );
  });

  it('shows the text in the order of its characters', async () => {
    await asked('rm /אב/גד\nגד');
    expect(drawn.all('.clipboard-wish bdi').map(({ textContent }) => textContent)).toEqual(['אב', 'גד', 'גד']);
    expect(drawn.one('.clipboard-wish code')?.textContent).toBe('rm /אב/גד\nגד');
  });

  it('takes no keyboard when it comes, is reached by its command, and Escape refuses', async () => {
    const before = document.activeElement;
    await asked('text');
    expect(document.activeElement).toBe(before);
    await drawn.perform(() => drawn.host.command('answer-question'));
    expect(document.activeElement?.textContent).toBe('Refuse');
    await drawn.press('Escape');
    expect([question(), document.activeElement?.tagName]).toEqual([[], 'TEXTAREA']);
    expect(drawn.host.requests.writeClipboard).not.toHaveBeenCalled();
  });

  it('copies what has stood for a moment, and not what came just now', async () => {
    await asked('first');
    await passed(499);
    await drawn.perform(() => drawn.button('Copy once').click());
    await drawn.perform(() => drawn.button('Allow for this session').click());
    expect([question().length, drawn.host.requests.writeClipboard.mock.calls]).toEqual([2, []]);
    await passed(1);
    await drawn.perform(() => drawn.button('Copy once').click());
    expect([question(), drawn.host.requests.writeClipboard.mock.calls]).toEqual([[], [['first']]]);
  });

  it('offers nothing for later of a session that has ended', async () => {
    await asked('last words');
    await drawn.perform(() => drawn.host.put({ ...session, ...ended(0) }));
    expect(drawn.buttons()).not.toContain('Allow for this session');
    await passed(500);
    await drawn.perform(() => drawn.button('Copy once').click());
    expect(drawn.host.requests.writeClipboard.mock.calls).toEqual([['last words']]);
  });
});
