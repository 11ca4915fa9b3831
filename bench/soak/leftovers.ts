import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processesWith } from '../../test/support/marked-processes.ts';

/** What is open in this process, or was started by it; each by its name. */
export interface Holdings {
  /** Number and target, as in /proc/self/fd. */
  readonly descriptors: readonly string[];
  /** Pids of the processes with the run's mark in their environment, wherever they went. */
  readonly children: readonly string[];
  readonly timers: readonly string[];
  /** What else keeps the event loop alive: sockets, terminals, processes. */
  readonly handles: readonly string[];
}

/** Time that streams have to close after the engine said that it is done, in milliseconds. They need one turn. */
const CLOSING_MS = 2_000;

/** Looks at what is open now. `mark` is the variable (`NAME=value`) that every child was given. */
export function holdings(mark: string): Holdings {
  const resources = process.getActiveResourcesInfo();
  return {
    descriptors: readdirSync('/proc/self/fd').flatMap(descriptorName),
    children: processesWith(mark).map(String),
    timers: resources.filter((type) => type === 'Timeout' || type === 'Immediate'),
    // Requests, which end by themselves, are named otherwise.
    handles: resources.filter((type) => type.endsWith('Wrap')),
  };
}

/** What is open beyond `before`; looks again until that is nothing, or the time for it is up. */
export async function leftSince(before: Holdings, mark: string): Promise<Holdings> {
  for (const deadline = performance.now() + CLOSING_MS; ;) {
    const now = holdings(mark);
    const left = {
      descriptors: without(now.descriptors, before.descriptors),
      children: without(now.children, before.children),
      timers: without(now.timers, before.timers),
      handles: without(now.handles, before.handles),
    };
    if (performance.now() > deadline || Object.values(left).every(({ length }) => length === 0)) {
      return left;
    }
    await delay(10);
  }
}

function descriptorName(descriptor: string): readonly string[] {
  try {
    return [`${descriptor} ${readlinkSync(`/proc/self/fd/${descriptor}`)}`];
  } catch {
    // The one that the folder was listed by.
    return [];
  }
}

/** The names in `now` that `before` has not, each as often as it is there more. */
function without(now: readonly string[], before: readonly string[]): readonly string[] {
  const known = [...before];
  return now.filter((name) => {
    const index = known.indexOf(name);
    if (index !== -1) {
      known.splice(index, 1);
    }
    return index === -1;
  });
}
