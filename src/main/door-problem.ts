import { DEFAULT_EXEC_SERVER_PORT } from '../shared/limits.ts';

/**
 * Why agents cannot connect, and what can be done, for a person. The error in its own words is in the log. `port`: the
 * one that was asked for; 0 for any.
 */
export function doorProblem(error: unknown, port: number): string {
  const { code, syscall, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const place = port === 0 ? 'a port' : `port ${port}`;
  if (syscall === 'listen') {
    const why: Readonly<Record<string, string>> = {
      EADDRINUSE: `${place} is in use by another program. End that program, or choose another port with --listen`,
      EACCES: `the system does not let you listen at ${place}. Choose one above 1023 with --listen`,
      EADDRNOTAVAIL: 'this machine has no IPv6. Choose an address of 127.0.0.1 with --listen',
    };
    return `Agents cannot connect: ${why[code ?? ''] ?? `${place} could not be listened at (${code ?? 'unknown'})`}; then start Shellscope again.`;
  }
  return `Agents cannot connect: ${message ?? String(error)}`;
}

/** The usual port is somebody else's; agents are served at `url` meanwhile. */
export function otherPortProblem(url: string): string {
  return (
    `Port ${DEFAULT_EXEC_SERVER_PORT} is in use by another program, so agents are served at ${url} until ` +
    'Shellscope is started again.'
  );
}
