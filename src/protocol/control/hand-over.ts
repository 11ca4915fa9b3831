import type { Socket } from 'node:net';

/**
 * Leaves a socket that was read as lines to whoever reads it next, together with what came behind the last line. It
 * stands still until that one listens: by `data`, `readable`, `pipe` or an iteration, now or later.
 */
export function handOver(socket: Socket, onData: (bytes: Buffer) => void, rest: Uint8Array): void {
  socket.pause();
  socket.removeListener('data', onData);
  if (rest.length > 0) {
    socket.unshift(rest);
  }
  // A stream that was paused by hand does not flow by itself when somebody listens.
  const flow = (event: string | symbol) => {
    if (event === 'data') {
      socket.removeListener('newListener', flow);
      process.nextTick(() => socket.resume());
    }
  };
  socket.on('newListener', flow);
}
