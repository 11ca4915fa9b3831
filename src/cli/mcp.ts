import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { loginShell } from '../engine/engine.ts';
import { ControlClient, HostUnreachable } from '../protocol/control/control-client.ts';
import { MCP_STREAM, serveMcpStdio } from '../protocol/mcp/mcp-stdio-listener.ts';
import { lineLogger } from '../shared/logger.ts';
import { APP_VERSION } from '../shared/version.ts';
import { CliError, EXIT } from './cli-error.ts';
import { runtimeFolder } from './host.ts';
import { hostEngine, untilSignal } from './serve.ts';

/**
 * Speaks the Model Context Protocol with the agent at stdin and stdout until it closes stdin or a signal comes. The
 * sessions are the running host's, where a person sees them; this process only passes bytes on. Without a host, or with
 * `alone`, they are this process's own, and end with it. Answers the exit code, which is 0.
 */
export async function mcp({ alone }: { readonly alone: boolean }): Promise<number> {
  process.stderr.on('error', () => {});
  const stopped = untilSignal(['SIGTERM', 'SIGINT']);
  const host = alone ? null : await hostStream();
  await (host === null ? serveHere(stopped) : passOn(host, stopped));
  return 0;
}

/** A connection with the host's MCP server; null when no host runs. Rejects when one runs that cannot be reached. */
async function hostStream(): Promise<Duplex | null> {
  let client: ControlClient;
  try {
    client = await ControlClient.connect({ folder: runtimeFolder(), client: 'shellscope mcp' });
  } catch (error) {
    if (error instanceof HostUnreachable) {
      return null;
    }
    throw error;
  }
  if (!client.host.streams.includes(MCP_STREAM)) {
    client.close();
    throw new CliError(
      `the running host (version ${client.host.version}) serves no MCP: start it again, or use \`shellscope mcp --alone\``,
    );
  }
  return client.stream(MCP_STREAM, { cwd: process.cwd() });
}

async function passOn(host: Duplex, stopped: Promise<void>): Promise<void> {
  let inputEnded = false;
  process.stdin.once('end', () => {
    inputEnded = true;
  });
  // `close` follows.
  host.on('error', () => {});
  const closed = once(host, 'close').then(() => 'closed' as const);
  process.stdin.pipe(host);
  host.pipe(process.stdout);
  const end = await Promise.race([closed, stopped]);
  host.destroy();
  if (end === 'closed' && !inputEnded) {
    throw new CliError('the host has ended, and its sessions with it: start this command again', EXIT.noHost);
  }
}

async function serveHere(stopped: Promise<void>): Promise<void> {
  const log = lineLogger((line) => process.stderr.write(line));
  const engine = hostEngine(log);
  try {
    const connection = serveMcpStdio({
      engine,
      log,
      version: APP_VERSION,
      shellPath: loginShell(process.env),
      cwd: process.cwd(),
      input: process.stdin,
      output: process.stdout,
    });
    await Promise.race([connection.ended, stopped]);
    await connection.close();
  } finally {
    await engine.dispose();
  }
}
