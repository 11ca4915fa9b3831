import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { SessionListEvent, SessionListSnapshot } from '../shared/ipc.ts';
import type { SessionInfo } from '../shared/session.ts';
import { afterEvent, fromSnapshot, SessionFeed } from './session-store.ts';
import { exampleSession } from './testing/example-session.ts';
import { allTurns } from './testing/fake-host.ts';
import type { RequestFrame } from './window/window-frame.ts';

const one = exampleSession({ id: 's1', startedAtMs: 1 });
const two = exampleSession({ id: 's2', startedAtMs: 2 });

const changed = (revision: number, session: SessionInfo): SessionListEvent => ({ revision, type: 'changed', session });
const removed = (revision: number, session: SessionInfo): SessionListEvent => ({
  revision,
  type: 'removed',
  id: session.id,
});

describe('the list of sessions', () => {
  it('is in opening order, whatever the order of the snapshot, and counts ids as people do', () => {
    const list = fromSnapshot({
      revision: 1,
      sessions: [
        exampleSession({ id: 's10', startedAtMs: 5 }),
        exampleSession({ id: 's9', startedAtMs: 5 }),
        exampleSession({ id: 's11', startedAtMs: 4 }),
      ],
    });
    expect(list.sessions.map(({ id }) => id)).toEqual(['s11', 's9', 's10']);
  });

  it('takes a changed session in its place, a new one at its end, and lets a removed one go', () => {
    const list = fromSnapshot({ revision: 7, sessions: [one, two] });
    const louder = { ...one, outputBytes: 12 };
    expect(afterEvent(list, changed(8, louder))).toEqual({ loaded: true, revision: 8, sessions: [louder, two] });
    const three = exampleSession({ id: 's3', startedAtMs: 3 });
    expect(afterEvent(list, changed(8, three))).toEqual({ loaded: true, revision: 8, sessions: [one, two, three] });
    expect(afterEvent(list, removed(8, one))).toEqual({ loaded: true, revision: 8, sessions: [two] });
  });

  it('is the same list after an event that is already in it', () => {
    const list = fromSnapshot({ revision: 7, sessions: [one] });
    expect(afterEvent(list, removed(7, one))).toBe(list);
  });

  it('cannot be told from an event when events between are missing', () => {
    expect(afterEvent(fromSnapshot({ revision: 7, sessions: [] }), changed(9, one))).toBe('missed');
  });
});

/** Frames that are drawn as soon as whatever runs has ended. */
const soon: RequestFrame = (onFrame) => void Promise.resolve().then(onFrame);

/** A feed in step with an empty list, whose frames the test draws. */
async function feedInStep(snapshot: SessionListSnapshot = { revision: 0, sessions: [] }) {
  const frames: (() => void)[] = [];
  const loadSnapshot = vi.fn<() => Promise<SessionListSnapshot>>(() => Promise.resolve(snapshot));
  const feed = new SessionFeed({
    loadSnapshot,
    onLoadFailed: vi.fn(),
    requestFrame: (onFrame) => void frames.push(onFrame),
  });
  await feed.refresh();
  const revisions: number[] = [];
  feed.store.subscribe(({ revision }) => revisions.push(revision));
  return { feed, loadSnapshot, revisions, drawFrame: () => frames.shift()?.(), frames };
}

describe('the frames of the feed', () => {
  it('take what came since the last one together, and what comes after a silence at once', async () => {
    const { feed, revisions, drawFrame, frames } = await feedInStep();
    feed.receive(changed(1, one));
    expect(revisions).toEqual([1]);
    feed.receive(changed(2, { ...one, outputBytes: 5 }));
    feed.receive(changed(3, two));
    expect(revisions).toEqual([1]);
    drawFrame();
    expect(revisions).toEqual([1, 3]);
    expect(feed.store.getState().sessions).toEqual([{ ...one, outputBytes: 5 }, two]);
    feed.receive(removed(4, two));
    drawFrame();
    expect(revisions).toEqual([1, 3, 4]);
    // One without news ends it.
    drawFrame();
    expect(frames).toEqual([]);
    feed.receive(removed(5, one));
    expect(revisions).toEqual([1, 3, 4, 5]);
  });

  it('are not waited for by whoever must know all that was told', async () => {
    const { feed, revisions, drawFrame } = await feedInStep();
    feed.receive(changed(1, one));
    feed.receive(changed(2, two));
    feed.takeAll();
    expect(revisions).toEqual([1, 2]);
    feed.takeAll();
    drawFrame();
    expect(revisions).toEqual([1, 2]);
  });

  it('show what came before a missing event, and a snapshot after it', async () => {
    const { feed, revisions, drawFrame, loadSnapshot } = await feedInStep();
    feed.receive(changed(1, one));
    feed.receive(changed(2, two));
    feed.receive(changed(4, two));
    loadSnapshot.mockResolvedValueOnce({ revision: 4, sessions: [two] });
    drawFrame();
    expect(revisions).toEqual([1, 2]);
    await allTurns();
    expect(revisions).toEqual([1, 2, 4]);
    expect(feed.store.getState().sessions).toEqual([two]);
  });
});

describe('the feed of the list', () => {
  it('applies what came while the snapshot was under way on top of it, and drops what is in it already', async () => {
    const snapshot = deferred<SessionListSnapshot>();
    const feed = new SessionFeed({
      loadSnapshot: () => snapshot.promise,
      onLoadFailed: vi.fn(),
      requestFrame: soon,
    });
    const loading = feed.refresh();
    feed.receive(changed(4, one));
    feed.receive(changed(6, two));
    snapshot.resolve({ revision: 5, sessions: [one] });
    await loading;
    expect(feed.store.getState()).toEqual({ loaded: true, revision: 6, sessions: [one, two] });
  });

  it('asks for one new snapshot when the revision jumps, however many events follow', async () => {
    const second = deferred<SessionListSnapshot>();
    const loadSnapshot = vi
      .fn<() => Promise<SessionListSnapshot>>()
      .mockResolvedValueOnce({ revision: 1, sessions: [] })
      .mockReturnValueOnce(second.promise);
    const feed = new SessionFeed({ loadSnapshot, onLoadFailed: vi.fn(), requestFrame: soon });
    await feed.refresh();
    feed.receive(changed(3, two));
    feed.receive(changed(4, { ...two, outputBytes: 5 }));
    second.resolve({ revision: 3, sessions: [one, two] });
    await vi.waitFor(() => expect(feed.store.getState().revision).toBe(4));
    expect(loadSnapshot).toHaveBeenCalledTimes(2);
    expect(feed.store.getState().sessions).toEqual([one, { ...two, outputBytes: 5 }]);
  });

  it('keeps the list and tells why when no snapshot can be had, and tries again with the next event', async () => {
    const refusal = new Error('gone');
    const loadSnapshot = vi
      .fn<() => Promise<SessionListSnapshot>>()
      .mockRejectedValueOnce(refusal)
      .mockResolvedValueOnce({ revision: 2, sessions: [one] });
    const onLoadFailed = vi.fn();
    const feed = new SessionFeed({ loadSnapshot, onLoadFailed, requestFrame: soon });
    await feed.refresh();
    expect(onLoadFailed.mock.calls).toEqual([[refusal]]);
    expect(feed.store.getState().loaded).toBe(false);
    feed.receive(changed(2, one));
    await vi.waitFor(() => expect(feed.store.getState().sessions).toEqual([one]));
  });

  it('ends with the list of the host whatever events are lost on the way, once the last one arrives', async () => {
    const step = fc.record({ id: fc.constantFrom('s1', 's2', 's3'), isRemoval: fc.boolean(), isLost: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const host = new Map<string, SessionInfo>();
        let revision = 0;
        const loadSnapshot = (): Promise<SessionListSnapshot> =>
          Promise.resolve({ revision, sessions: [...host.values()] });
        const feed = new SessionFeed({ loadSnapshot, onLoadFailed: vi.fn(), requestFrame: soon });
        await feed.refresh();
        for (const [index, { id, isRemoval, isLost }] of steps.entries()) {
          const session = exampleSession({ id, startedAtMs: Number(id.slice(1)), outputBytes: index });
          revision += 1;
          if (isRemoval) {
            host.delete(id);
          } else {
            host.set(id, session);
          }
          if (!isLost || index === steps.length - 1) {
            feed.receive(isRemoval ? removed(revision, session) : changed(revision, session));
          }
          if (index % 3 === 0) {
            await Promise.resolve();
          }
        }
        await allTurns();
        expect(feed.store.getState()).toEqual(fromSnapshot({ revision, sessions: [...host.values()] }));
      }),
      { numRuns: 200 },
    );
  });
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
