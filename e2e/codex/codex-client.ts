import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { AttendedCodex } from './attended-codex.ts';
import type { MockModel, ModelRequest } from './mock-model.ts';

/** The longest that anything here takes is Codex's own 10 s for a connection. Milliseconds. */
const PATIENCE_MS = 30_000;

/** The first line that `codex exec --json` prints. */
const threadStarted = z.object({ type: z.literal('thread.started'), thread_id: z.string() });

/** The fence that Codex asks for around its commands: `sandbox_mode` of its configuration. */
export type SandboxMode = 'danger-full-access' | 'workspace-write';

/** How a run of Codex ended. */
export interface CodexEnd {
  readonly exitCode: number | null;
  readonly threadId: string;
}

/** The real Codex CLI with a home and a working folder of its own, and the mock as its model. */
export class Codex {
  /** What Codex has as HOME and CODEX_HOME. */
  readonly home: string;
  /** Where its commands run; empty. */
  readonly cwd: string;
  readonly #folder: string;
  readonly #executable: string;
  readonly #model: MockModel;
  readonly #runs: { kill(): Promise<void> }[] = [];

  static async create(model: MockModel, sandboxMode: SandboxMode): Promise<Codex> {
    const executable = process.env['SHELLSCOPE_CODEX'];
    if (executable === undefined) {
      throw new Error('SHELLSCOPE_CODEX is not set: run npm run test:codex');
    }
    // Canonical: what `pwd` prints.
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-codex-')));
    const codex = new Codex(folder, executable, model);
    for (const name of ['home', 'tmp', 'work']) {
      await mkdir(join(folder, name));
    }
    await writeFile(join(codex.home, 'config.toml'), configuration(model, sandboxMode));
    return codex;
  }

  private constructor(folder: string, executable: string, model: MockModel) {
    this.#folder = folder;
    this.#executable = executable;
    this.#model = model;
    this.home = join(folder, 'home');
    this.cwd = join(folder, 'work');
  }

  /** Tells Codex where commands run, as a person would in `~/.codex/environments.toml`. */
  async writeEnvironments(toml: string): Promise<void> {
    await writeFile(join(this.home, 'environments.toml'), toml);
  }

  /** Gives Codex a task; what it does about it is what the model says. */
  start(environment: Readonly<Record<string, string>> = {}): CodexRun {
    const child = spawn(this.#executable, ['exec', '--json', '--skip-git-repo-check', '-C', this.cwd, 'the task'], {
      cwd: this.home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...this.#environment(), ...environment },
    });
    const run = new CodexRun(child, this.#model);
    this.#runs.push(run);
    return run;
  }

  /** Gives Codex a task in the presence of a person, whom it may ask before it does something. */
  async startAttended(): Promise<AttendedCodex> {
    const child = spawn(this.#executable, ['app-server'], {
      cwd: this.home,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: this.#environment(),
    });
    const run = new AttendedCodex(child, this.#model);
    this.#runs.push(run);
    await run.begin(this.cwd, 'the task');
    return run;
  }

  async dispose(): Promise<void> {
    for (const run of this.#runs) {
      await run.kill();
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: this.home,
      CODEX_HOME: this.home,
      // Beside its home and not above it: there it refuses to put its helper programs.
      TMPDIR: join(this.#folder, 'tmp'),
      // Whatever it wants from the network beside its model is refused and noted.
      HTTP_PROXY: this.#model.origin,
      HTTPS_PROXY: this.#model.origin,
      NO_PROXY: '127.0.0.1',
    };
  }
}

/** One task, from its start to its end. */
export class CodexRun {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #model: MockModel;
  readonly #ended: Promise<number | null>;
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcessByStdio<null, Readable, Readable>, model: MockModel) {
    this.#child = child;
    this.#model = model;
    child.stdout.setEncoding('utf8').on('data', (part: string) => (this.#stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (this.#stderr += part));
    this.#ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    // Whoever waits for the end learns of it; until then nobody may.
    this.#ended.catch(() => {});
  }

  /** What Codex asks its model next. Rejects when it ends instead. */
  async asked(): Promise<ModelRequest> {
    const ended = this.#ended.then((exitCode): never => {
      throw new Error(`Codex ended (${exitCode}) and asked nothing:\n${this.#said()}`);
    });
    return this.#inTime(Promise.race([this.#model.asked(), ended]), 'to ask its model');
  }

  async finished(): Promise<CodexEnd> {
    const exitCode = await this.#inTime(this.#ended, 'to end');
    const [firstLine = ''] = this.#stdout.split('\n');
    return { exitCode, threadId: threadStarted.parse(JSON.parse(firstLine)).thread_id };
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
    }
    await this.#ended.catch(() => {
      // It could not be started, which the test has been told.
    });
  }

  async #inTime<T>(promise: Promise<T>, what: string): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`waited ${PATIENCE_MS} ms for Codex ${what}:\n${this.#said()}`)),
        PATIENCE_MS,
      );
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #said(): string {
    return `${this.#stdout}\n${this.#stderr}`.trim();
  }
}

/** It asks nobody, unless it is told otherwise: `codex exec` has no person. */
function configuration(model: MockModel, sandboxMode: SandboxMode): string {
  return [
    'model = "mock-model"',
    'model_provider = "mock"',
    'approval_policy = "never"',
    `sandbox_mode = "${sandboxMode}"`,
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    '[features]',
    '# They are fetched from GitHub at each start.',
    'plugins = false',
    '[model_providers.mock]',
    'name = "mock"',
    `base_url = "${model.origin}/v1"`,
    'wire_api = "responses"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    '',
  ].join('\n');
}
