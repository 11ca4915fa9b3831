import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The command line as it is shipped; this file is bundled into out/bench. */
const CLI = join(import.meta.dirname, '../cli/main.js');

/** Ticks per second of the times in /proc/PID/stat: USER_HZ, which is 100 wherever Node runs. */
const TICKS_PER_SECOND = 100;

/** A host in a process of its own, and a client that speaks MCP with it. */
export interface McpHost {
  readonly name: string;
  readonly client: Client;
  /** Computing time that the host has used, in milliseconds; null where the system does not tell. */
  cpuMs(): number | null;
  close(): Promise<void>;
}

/** `shellscope mcp`, over stdin and stdout. */
export async function stdioHost(folder: string): Promise<McpHost> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--alone'],
    cwd: '/tmp',
    env: environment(folder),
  });
  const client = await connected(transport);
  return { name: 'MCP, stdio', client, cpuMs: () => cpuMsOf(transport.pid), close: () => client.close() };
}

/** `shellscope serve`, over HTTP. */
export async function httpHost(folder: string): Promise<McpHost> {
  const host = spawn(process.execPath, [CLI, 'serve'], {
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url = '', tokenFile = ''] = await lines(host, 2);
  const client = await connected(
    new StreamableHTTPClientTransport(new URL(`${url.replace('ws:', 'http:')}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` } },
    }),
  );
  return {
    name: 'MCP, HTTP',
    client,
    cpuMs: () => cpuMsOf(host.pid ?? null),
    close: async () => {
      await client.close();
      host.kill('SIGTERM');
      await once(host, 'exit');
    },
  };
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return client;
}

function environment(folder: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: folder, SHELL: '/bin/bash', SHELLSCOPE_STATE_DIR: folder };
}

async function lines({ stdout }: ChildProcess, count: number): Promise<readonly string[]> {
  const read: string[] = [];
  if (stdout !== null) {
    for await (const line of createInterface(stdout)) {
      if (read.push(line) === count) {
        break;
      }
    }
  }
  return read;
}

function cpuMsOf(pid: number | null): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5): after the name in brackets, the 12th and 13th fields are the times in user and in kernel mode.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
  } catch {
    // No such file system here.
    return null;
  }
}
