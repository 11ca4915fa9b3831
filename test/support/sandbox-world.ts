import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fenceFor } from '../../src/engine/sandbox/fence.ts';
import { workspaceWrite, type FencePolicy, type SandboxPolicy } from '../../src/engine/sandbox/sandbox-policy.ts';
import type { SessionInfo } from '../../src/shared/session.ts';
import { test as base, type EngineWorld } from './engine-world.ts';
import { sandboxReport } from './sandbox-here.ts';

/** How a command ended, and what it said. */
export interface Attempt {
  readonly exitCode: number | null;
  readonly output: string;
}

export interface SandboxWorld extends EngineWorld {
  /** A folder that may be written to, with a repository in it. */
  readonly workspace: string;
  /** A folder beside it, which may not. Neither lies in a temporary folder: those are empty in a sandbox. */
  readonly outside: string;
  /** Runs a text in a shell on pipes, in the workspace, with or without its fence. */
  attempt(text: string, policy: SandboxPolicy): Promise<Attempt>;
  /** Starts a program on a terminal in the workspace, behind the fence, by the way of all agents' commands. */
  fencedTerminal(
    argv: readonly string[],
    more?: Partial<FencePolicy>,
    variables?: Readonly<Record<string, string>>,
  ): Promise<SessionInfo>;
}

export const test = base.extend<{ sandbox: SandboxWorld }>({
  sandbox: async ({ world }, use) => {
    const folder = await realpath(await mkdtemp(join(homedir(), '.shellscope-sandbox-test-')));
    try {
      const [workspace, outside] = [join(folder, 'workspace'), join(folder, 'outside')];
      await mkdir(join(workspace, '.git', 'hooks'), { recursive: true });
      await mkdir(outside);
      await writeFile(join(workspace, '.git', 'config'), '[core]\n\trepositoryformatversion = 0\n');
      await use({ ...world, ...worldIn(world, workspace), workspace, outside });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

function worldIn(world: EngineWorld, workspace: string): Pick<SandboxWorld, 'attempt' | 'fencedTerminal'> {
  const start = async (argv: readonly string[], policy: SandboxPolicy) => {
    const fenced = await fenceFor({ argv, cwd: workspace, environment: environment() }, policy, sandboxReport);
    return world.start([...fenced.prefix, ...argv], {
      cwd: workspace,
      backend: { kind: 'pipe', stdin: false },
      environment: { kind: 'exact', variables: { ...environment(), ...fenced.environment } },
    });
  };
  return {
    attempt: async (text, policy) => {
      const { id } = await start(['bash', '-c', text], policy);
      const { exit } = await world.closed(id);
      return { exitCode: exit?.exitCode ?? null, output: await world.text(id) };
    },
    fencedTerminal: async (argv, more, variables = {}) => {
      const { session } = await world.engine.startSafely(
        {
          argv,
          cwd: workspace,
          backend: { kind: 'pty' },
          environment: { kind: 'exact', variables: { ...environment(), ...variables } },
          origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null },
        },
        { sandbox: workspaceWrite(workspace, more) },
      );
      return session;
    },
  };
}

function environment(): Readonly<Record<string, string>> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: homedir(), TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
}
