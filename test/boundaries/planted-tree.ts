import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** The gates as they are: everything that decides what is refused, and nothing of the sources. */
const GATE_FILES = [
  '.gitignore',
  '.oxlintrc.json',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  ...['shared', 'engine', 'protocol', 'cli', 'main', 'preload', 'renderer'].map(
    (layer) => `src/${layer}/tsconfig.json`,
  ),
  'test/tsconfig.json',
  'bench/tsconfig.json',
  'e2e/tsconfig.json',
  'scripts/tsconfig.json',
  'tsconfig.config.json',
];

/** A file of the planted tree. The path is relative to the repository, with `/`. */
export interface PlantedFile {
  readonly path: string;
  readonly text: string;
}

/** What a gate says of a file. */
export interface Refusal {
  readonly gate: 'oxlint' | 'tsc';
  readonly path: string;
  /** The rule or the number of the message, e.g. `eslint(no-restricted-imports)` or `TS6307`. */
  readonly code: string;
  /** Everything it says about it, our own message of the configuration included. */
  readonly text: string;
}

/**
 * Runs one of the repository's gates, once, over a tree that consists of `files` and of the repository's own
 * configurations. The tree lives in a temporary folder, so that neither the working tree nor its caches change.
 *
 * @throws when the gate could not run at all, which must not look like "nothing to refuse".
 */
export async function refusalsOf(gate: Refusal['gate'], files: readonly PlantedFile[]): Promise<readonly Refusal[]> {
  // Canonical, since the compiler names files by their real path.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-gates-')));
  try {
    await Promise.all(GATE_FILES.map((path) => cp(join(REPOSITORY, path), join(root, path))));
    await linkPackages(root);
    await Promise.all(
      files.map(async ({ path, text }) => {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }),
    );
    return await (gate === 'oxlint' ? runLint(root) : runTypeCheck(root));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** One link per package: a link to node_modules itself would let tsc write into the working tree's cache. */
async function linkPackages(root: string): Promise<void> {
  const target = join(root, 'node_modules');
  await mkdir(target);
  const packages = await readdir(join(REPOSITORY, 'node_modules'));
  await Promise.all(
    packages
      // Of the hidden ones only .bin, where oxlint looks for tsgolint.
      .filter((name) => !name.startsWith('.') || name === '.bin')
      .map((name) => symlink(join(REPOSITORY, 'node_modules', name), join(target, name))),
  );
}

async function runLint(root: string): Promise<readonly Refusal[]> {
  const output = await runTool(root, 'oxlint/bin/oxlint', ['--format', 'json']);
  if (!output.startsWith('{')) {
    throw new Error(`oxlint could not lint the planted tree: ${output}`);
  }
  const report = JSON.parse(output) as {
    readonly number_of_files: number;
    readonly diagnostics: readonly {
      readonly filename: string;
      readonly code?: string;
      readonly message: string;
      readonly help?: string;
    }[];
  };
  if (report.number_of_files === 0) {
    throw new Error(`oxlint looked at no file: ${output}`);
  }
  return report.diagnostics.map(({ filename, code, message, help }) => ({
    gate: 'oxlint',
    path: filename,
    code: code ?? '',
    text: `${message} ${help ?? ''}`,
  }));
}

async function runTypeCheck(root: string): Promise<readonly Refusal[]> {
  const output = await runTool(root, 'typescript/bin/tsc', ['--build', '--pretty', 'false']);
  const refusals: Refusal[] = [];
  for (const line of output.split('\n')) {
    const match = /^(?<path>[^\s(][^(]*)\(\d+,\d+\): error (?<code>TS\d+): (?<text>.*)$/.exec(line);
    if (match?.groups !== undefined) {
      const { path = '', code = '', text = '' } = match.groups;
      refusals.push({ gate: 'tsc', path, code, text });
    } else if (/\berror TS\d+/.test(line)) {
      throw new Error(`tsc could not check the planted tree: ${line}`);
    }
  }
  return refusals;
}

/** The standard output of one of our own tools, whether it refuses something (status 1 or 2) or not. */
function runTool(root: string, script: string, args: readonly string[]): Promise<string> {
  return new Promise((done, failed) => {
    const command = [join(REPOSITORY, 'node_modules', script), ...args];
    execFile(process.execPath, command, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout.trim() === '' && error !== null) {
        failed(new Error(`${script} failed: ${stderr}`, { cause: error }));
      } else {
        done(stdout);
      }
    });
  });
}
