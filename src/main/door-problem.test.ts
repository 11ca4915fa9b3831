import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { doorProblem } from './door-problem.ts';

/** As Node tells it. */
async function errorOfListening(host: string, port: number): Promise<unknown> {
  const server = createServer();
  const told = once(server, 'error');
  server.listen({ host, port, exclusive: true });
  const [error] = (await told) as [unknown];
  return error;
}

describe('a door for agents that is not open', () => {
  it('names a port that another program has, and what can be done, without the words of the system', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const words = doorProblem(await errorOfListening('127.0.0.1', port), port);
    taken.close();
    expect(words).toBe(
      `Agents cannot connect: port ${port} is in use by another program. End that program, or choose another port with --listen; then start Shellscope again.`,
    );
  });

  it('says what to choose on a machine without the address', async () => {
    // One that is never a machine's own stands for `::1` without IPv6.
    expect(doorProblem(await errorOfListening('192.0.2.1', 0), 0)).toBe(
      'Agents cannot connect: this machine has no IPv6. Choose an address of 127.0.0.1 with --listen; then start Shellscope again.',
    );
  });

  it('passes on what is said of the token', () => {
    expect(doorProblem(new Error('the token file is empty: delete it'), 0)).toBe(
      'Agents cannot connect: the token file is empty: delete it',
    );
  });
});
