import { pipeline, type Duplex } from 'node:stream';

/** Joins two connections until both directions have ended; one that breaks breaks the other. */
export function joinSockets(one: Duplex, other: Duplex): void {
  const ended = (error: NodeJS.ErrnoException | null | undefined) => {
    if (error !== null && error !== undefined) {
      one.destroy();
      other.destroy();
    }
  };
  pipeline(one, other, ended);
  pipeline(other, one, ended);
}
