import { loginShell } from '../engine/engine.ts';
import { serveMcpStdio } from '../protocol/mcp/mcp-stdio-listener.ts';
import { lineLogger } from '../shared/logger.ts';
import { APP_VERSION } from '../shared/version.ts';
import { hostEngine, untilSignal } from './serve.ts';

/**
 * Speaks the Model Context Protocol with the agent at stdin and stdout, over an engine of its own, until it closes stdin
 * or a signal comes; then ends every child. Answers the exit code, which is 0.
 */
export async function mcp(): Promise<number> {
  process.stderr.on('error', () => {});
  const log = lineLogger((line) => process.stderr.write(line));
  const stopped = untilSignal(['SIGTERM', 'SIGINT']);
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
    return 0;
  } finally {
    await engine.dispose();
  }
}
