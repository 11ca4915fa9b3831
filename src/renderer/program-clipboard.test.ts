import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { ProgramClipboard, type ProgramClipboardOptions } from './program-clipboard.ts';
import { exampleSession } from './testing/example-session.ts';
import { clipboardPayload as payload } from './testing/osc-52.ts';

const shell = exampleSession({ id: 's1', argv: ['bash'] });
const other = exampleSession({ id: 's2' });

describe('the clipboard and programs', () => {
  let rule: ReturnType<ProgramClipboardOptions['rule']>;
  let inView: Set<SessionId>;
  let copied: string[];
  let told: string[];
  let clipboard: ProgramClipboard;
  let copy: (text: string) => Promise<unknown>;

  const wish = ({ id }: SessionInfo) => clipboard.wishes.getState().get(id);
  const answer = (session: SessionInfo, kind: Parameters<ProgramClipboard['answer']>[2]): void =>
    clipboard.answer(session.id, wish(session)?.number ?? -1, kind);
  const passed = (ms: number): void => void vi.advanceTimersByTime(ms);

  beforeEach(() => {
    vi.useFakeTimers();
    rule = 'ask';
    inView = new Set([shell.id, other.id]);
    copied = [];
    told = [];
    copy = async (text) => copied.push(text);
    clipboard = new ProgramClipboard({
      rule: () => rule,
      isInView: (id) => inView.has(id),
      copy: (text) => copy(text),
      toPane: vi.fn(),
      notify: (sentence) => told.push(sentence),
    });
  });
  afterEach(() => {
    clipboard.dispose();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('is set when the person says so, for this once', () => {
    clipboard.requested(shell, payload('one'));
    expect([wish(shell)?.text, copied]).toEqual(['one', []]);
    answer(shell, 'once');
    expect([wish(shell), copied]).toEqual([undefined, ['one']]);
    passed(1_000);
    clipboard.requested(shell, payload('two'));
    expect([wish(shell)?.text, copied]).toEqual(['two', ['one']]);
  });

  it('is set by a session that may, and by no other one', async () => {
    clipboard.requested(shell, payload('one'));
    answer(shell, 'session');
    await vi.advanceTimersByTimeAsync(1);
    clipboard.requested(shell, payload('two'));
    clipboard.requested(other, payload('three'));
    expect([copied, wish(shell), wish(other)?.text]).toEqual([['one', 'two'], undefined, 'three']);
  });

  it('is not set after a refusal, which counts on while the program tries again', () => {
    clipboard.requested(shell, payload('one'));
    answer(shell, 'refuse');
    for (let tries = 0; tries < 20; tries += 1) {
      passed(4_000);
      clipboard.requested(shell, payload(`try ${tries}`));
    }
    expect([wish(shell), copied]).toEqual([undefined, []]);
    passed(5_001);
    clipboard.requested(shell, payload('another'));
    expect(wish(shell)?.text).toBe('another');
  });

  it('is nobody’s to set from where nobody looks, not even when it may, nor later', () => {
    inView.delete(shell.id);
    clipboard.requested(shell, payload('hidden'));
    rule = 'allow';
    clipboard.requested(shell, payload('hidden'));
    inView.add(shell.id);
    passed(10_000);
    expect([wish(shell), copied]).toEqual([undefined, []]);
  });

  it('is always or never set where the settings say that; what is asked then is withdrawn', () => {
    rule = 'allow';
    clipboard.requested(shell, payload('one'));
    expect([wish(shell), copied]).toEqual([undefined, ['one']]);
    rule = 'ask';
    clipboard.requested(other, payload('two'));
    rule = 'never';
    clipboard.ruleChanged();
    clipboard.requested(shell, payload('three'));
    expect([clipboard.wishes.getState().size, copied]).toEqual([0, ['one']]);
  });

  it('has one question for a flood, which shows the newest text four times a second', () => {
    const shown: string[] = [];
    clipboard.wishes.subscribe(() => shown.push(wish(shell)?.text ?? ''));
    for (let at = 0; at <= 1_000; at += 1) {
      clipboard.requested(shell, payload(`text ${at}`));
      passed(1);
    }
    passed(1_000);
    expect(shown.length).toBeLessThanOrEqual(7);
    expect([shown[0], shown.at(-1)]).toEqual(['text 0', 'text 1000']);
    expect(clipboard.wishes.getState().size).toBe(1);
  });

  it('is not set by an answer to a text that has been replaced', () => {
    clipboard.requested(shell, payload('harmless'));
    const seen = wish(shell)?.number ?? -1;
    passed(300);
    clipboard.requested(shell, payload('rm -rf ~'));
    clipboard.answer(shell.id, seen, 'once');
    clipboard.answer(shell.id, seen, 'session');
    expect([wish(shell)?.text, copied]).toEqual(['rm -rf ~', []]);
    // The same text again is what was seen.
    const number = wish(shell)?.number;
    passed(300);
    clipboard.requested(shell, payload('rm -rf ~'));
    expect(wish(shell)?.number).toBe(number);
  });

  it('is set one text after the other, and of many that wait by the newest', async () => {
    rule = 'allow';
    const ends: (() => void)[] = [];
    copy = (text) => {
      copied.push(text);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    for (const text of ['one', 'two', 'three']) {
      clipboard.requested(shell, payload(text));
    }
    expect(copied).toEqual(['one']);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(copied).toEqual(['one', 'three']);
    ends[1]?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(copied).toEqual(['one', 'three']);
  });

  it('is not set by a text that is too large, and the person is told once', () => {
    rule = 'allow';
    for (let times = 0; times < 3; times += 1) {
      clipboard.requested(shell, payload('x'.repeat(1_200_000)));
    }
    expect([copied, told]).toEqual([
      [],
      ['bash wanted 1.2 MB on the clipboard. A program may copy 76.8 kB at most; nothing was copied.'],
    ]);
  });

  it('is asked about no longer when the session is gone, and what it was allowed goes with it', async () => {
    clipboard.requested(shell, payload('one'));
    answer(shell, 'session');
    await vi.advanceTimersByTimeAsync(1);
    clipboard.requested(other, payload('two'));
    clipboard.keepOnly((id) => id === shell.id);
    expect(clipboard.wishes.getState().size).toBe(0);
    clipboard.keepOnly(() => false);
    clipboard.requested(shell, payload('three'));
    expect([wish(shell)?.text, copied]).toEqual(['three', ['one']]);
  });
});
