import { readFileSync, readlinkSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { lookAtProcess, statFields } from '../../src/engine/backend/process-table.ts';
import { ScreenTracker } from '../../src/engine/backend/screen-tracker.ts';
import { stdinOf, whatIsWaitedFor } from '../../src/engine/backend/waiting-for.ts';
import { WaitingWatch } from '../../src/engine/backend/waiting-watch.ts';
import type { SessionInfo, WaitingFor, WaitingKind } from '../../src/shared/session.ts';
import type { EngineWorld } from './engine-world.ts';
import { until } from './tree-world.ts';

/** Deadline of a wait, in milliseconds: a second or so is needed at most; what never comes is told as null. */
const PATIENCE_MS = 10_000;

/** One session's child, looked at in the way a session does it. */
export interface WatchedChild {
  readonly info: SessionInfo;
  readonly pid: number;
  /** Path of the child's terminal. */
  readonly slavePath: string;
  /** One look, now. */
  look(): Promise<WaitingFor>;
  /** The first answer of that kind from after the last output and input; null when it does not come. */
  until(kind: WaitingKind): Promise<WaitingFor | null>;
  /** Types into the child. */
  type(text: string): Promise<void>;
}

/** Keeps account of what a session's child waits for, until the test is over. */
export async function watchChild(world: EngineWorld, session: Promise<SessionInfo>): Promise<WatchedChild> {
  const info = await session;
  const pid = info.pid!;
  const leader = { pid, startTime: lookAtProcess(pid)!.startTime };
  const screen = new ScreenTracker();
  const slavePath = info.backend === 'pty' ? await terminalOf(world, info) : '';
  // Until it is its program its streams may be those of whoever forked it.
  await until(() => !readlinkSync(`/proc/${pid}/exe`).endsWith('/launch'), 'its program');
  const stdin = stdinOf(pid);
  const look = () =>
    whatIsWaitedFor(
      leader,
      info.backend === 'pty' ? { kind: 'pty', slavePath, screen: screen.screen } : { kind: 'pipe', stdin },
    );
  const watch = new WaitingWatch({ look, onAnswer: () => {} });
  const follow = world.engine.follow(info.id, {
    afterSeq: 0,
    creditBytes: Number.POSITIVE_INFINITY,
    holdsChildMs: 0,
    onEvent: (event) => {
      if (event.kind === 'output') {
        screen.feed(event.bytes);
        watch.activity();
      }
    },
  });
  onTestFinished(async () => {
    follow.close();
    await watch.close();
  });
  return {
    info,
    pid,
    slavePath,
    look,
    until: (kind) => watch.until((waiting) => waiting.kind === kind, AbortSignal.timeout(PATIENCE_MS)),
    type: async (text) => {
      await world.engine.write(info.id, Buffer.from(text));
      watch.activity();
    },
  };
}

/** Path of the child's controlling terminal, which it has as soon as it has printed or runs its program. */
async function terminalOf(world: EngineWorld, { id, pid }: SessionInfo): Promise<string> {
  for (;;) {
    const terminal = Number(statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))[7 - 3]);
    if (terminal !== 0) {
      // Minor number: bits 0 to 7, and from 20 on.
      return `/dev/pts/${(terminal & 0xff) | ((terminal >> 12) & 0xfff00)}`;
    }
    await world.engine.read(id, { afterSeq: 0, maxBytes: 1, waitMs: 10 });
  }
}
