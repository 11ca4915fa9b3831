import { access, constants, readdir, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { ControlClient, HostUnreachable } from '../protocol/control/control-client.ts';
import { stateFolderOf } from '../shared/host-folders.ts';
import { DEFAULT_EXEC_SERVER_PORT } from '../shared/limits.ts';
import { EXIT } from './cli-error.ts';
import { runtimeFolder } from './host.ts';

/** What was found out about one thing. */
interface Finding {
  readonly name: string;
  /** `missing`: Shellscope does not work without it. `lacking`: something does not. */
  readonly state: 'good' | 'lacking' | 'missing';
  /** What is there, or what is wrong. */
  readonly fact: string;
  /** What mends it; null where there is nothing to mend. */
  readonly mend: string | null;
}

/** Oldest Node that everything was tested with: major and minor. */
const NODE_NEEDED = [20, 19] as const;

/** How long a program that is tried may take, in milliseconds. */
const TRY_MS = 10_000;

const SIGNS = { good: 'ok     ', lacking: 'lacking', missing: 'MISSING' } as const;

/** Looks at everything and prints it. Answers 0, or 1 when something is missing. */
export async function doctor(json: boolean): Promise<number> {
  const findings = [
    ofNode(),
    ...(await ofChildren()),
    await ofElectron(),
    await ofDisplay(),
    await ofStateFolder(),
    ...(await ofHost()),
  ];
  process.stdout.write(
    json
      ? `${JSON.stringify(findings)}\n`
      : findings
          .map(
            ({ name, state, fact, mend }) =>
              `${SIGNS[state]}  ${name.padEnd(14)}  ${fact}\n${mend === null ? '' : `${' '.repeat(25)}→ ${mend}\n`}`,
          )
          .join(''),
  );
  return findings.some(({ state }) => state === 'missing') ? EXIT.failed : 0;
}

function good(name: string, fact: string): Finding {
  return { name, state: 'good', fact, mend: null };
}

function ofNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor < NODE_NEEDED[1]);
  return isOld
    ? {
        name: 'Node',
        state: 'missing',
        fact: `this is ${process.versions.node}`,
        mend: `install Node ${NODE_NEEDED.join('.')} or newer from https://nodejs.org`,
      }
    : good('Node', process.versions.node);
}

/** By starting some: that shows the native module, pipes and ptys at once. */
async function ofChildren(): Promise<readonly Finding[]> {
  let engine: Engine;
  try {
    const { createEngine } = await import('../engine/engine.ts');
    engine = createEngine({ hostEnvironment: process.env });
  } catch (error) {
    return [nativeModuleMissing(error)];
  }
  try {
    return [await ofPty(engine), await ofSandbox(engine)];
  } finally {
    await engine.dispose();
  }
}

async function ofPty(engine: Engine): Promise<Finding> {
  try {
    const code = await exitCodeOf(engine, ['sh', '-c', 'test -t 0'], 'pty');
    return code === 0
      ? good('terminals', 'node-pty is built, and a child has a terminal')
      : nativeModuleMissing(`a child on a pty ended with ${code}`);
  } catch (error) {
    return nativeModuleMissing(error);
  }
}

function nativeModuleMissing(error: unknown): Finding {
  return {
    name: 'terminals',
    state: 'missing',
    fact: error instanceof Error ? error.message : String(error),
    mend: 'build the native module: npm ci (it needs python3, make and g++)',
  };
}

/** By making one. */
async function ofSandbox(engine: Engine): Promise<Finding> {
  const name = 'sandbox';
  const report = await engine.sandboxReport();
  if (report.kind === 'usable') {
    const { tool, program, version } = report;
    return good(name, `${tool}${version === null ? '' : ` ${version}`} works (${program})`);
  }
  const installs = report.missing.map(({ install }) => install).filter((install) => install !== null);
  return {
    name,
    state: 'lacking',
    fact: `${report.missing.map(({ why }) => why).join('; ')}: what must run in a sandbox is refused`,
    mend: installs.length === 0 ? null : installs.join('; '),
  };
}

async function exitCodeOf(engine: Engine, argv: readonly string[], kind: 'pty' | 'pipe'): Promise<number | null> {
  const { id } = await engine.start({
    argv,
    cwd: '/',
    environment: {
      kind: 'inherit',
      from: 'all',
      excludeCredentials: true,
      exclude: [],
      set: {},
      includeOnly: [],
      overlay: {},
    },
    backend: kind === 'pty' ? { kind } : { kind, stdin: false },
    origin: { kind: 'person' },
  });
  await engine.wait({ condition: { kind: 'exit', session: id }, timeoutMs: TRY_MS });
  const { exit } = await engine.get(id);
  return exit?.exitCode ?? null;
}

/** Where `npm run setup` leaves a runtime: in the package, or in the cache. The command line works without one. */
async function ofElectron(): Promise<Finding> {
  const name = 'Electron';
  const chosen = process.env['XDG_CACHE_HOME'];
  const cache = join(chosen?.startsWith('/') === true ? chosen : join(homedir(), '.cache'), 'shellscope');
  const cached = await readdir(cache).catch(() => []);
  const folders = [
    process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? '',
    resolve(import.meta.dirname, '../..', 'node_modules', 'electron', 'dist'),
    ...cached.filter((entry) => entry.startsWith('electron-')).map((entry) => join(cache, entry)),
  ];
  for (const folder of folders.filter((candidate) => candidate !== '')) {
    try {
      await access(join(folder, 'electron'), constants.X_OK);
      return good(name, folder);
    } catch {
      // The next place may have it.
    }
  }
  return { name, state: 'lacking', fact: 'no runtime is installed: the app cannot start', mend: 'npm run setup' };
}

async function ofDisplay(): Promise<Finding> {
  const name = 'display';
  if (process.platform !== 'linux') {
    return good(name, 'the system has one');
  }
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland } = process.env;
  if (wayland !== undefined && wayland !== '') {
    return good(name, `WAYLAND_DISPLAY=${wayland}`);
  }
  if (x11 === undefined || x11 === '') {
    return {
      name,
      state: 'lacking',
      fact: 'DISPLAY and WAYLAND_DISPLAY are not set: there is nowhere to show the window',
      mend: 'start it in a desktop session, or host without a window: shellscope serve',
    };
  }
  const number = /^:(\d+)/.exec(x11)?.[1];
  const answers = number === undefined || (await accepts({ path: `/tmp/.X11-unix/X${number}` }));
  return answers
    ? good(name, `DISPLAY=${x11}`)
    : { name, state: 'lacking', fact: `DISPLAY=${x11} does not answer`, mend: 'set DISPLAY to one that runs' };
}

async function ofStateFolder(): Promise<Finding> {
  const name = 'state folder';
  const folder = stateFolderOf({ environment: process.env, platform: process.platform, home: homedir() });
  try {
    const { mode } = await stat(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    return (mode & 0o022) === 0
      ? good(name, folder)
      : { name, state: 'missing', fact: `others can write into ${folder}`, mend: `chmod 700 ${folder}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? good(name, `${folder} (made when it is needed)`)
      : { name, state: 'missing', fact: `${folder} cannot be used: ${code}`, mend: `chown and chmod 700 ${folder}` };
  }
}

async function ofHost(): Promise<readonly Finding[]> {
  const name = 'host';
  try {
    const host = await ControlClient.connect({ folder: runtimeFolder(), client: 'shellscope doctor' });
    host.close();
    const { kind, pid, version, execServerUrl } = host.host;
    const fact = `${kind === 'app' ? 'the app' : 'shellscope serve'}, pid ${pid}, version ${version}`;
    return [
      good(name, fact),
      execServerUrl === null
        ? { name: 'agents', state: 'lacking', fact: 'the host serves no exec-server', mend: 'see the log of the host' }
        : good('agents', `served at ${execServerUrl}`),
    ];
  } catch (error) {
    if (error instanceof HostUnreachable) {
      return [
        { name, state: 'lacking', fact: 'none is running', mend: 'npm start, or shellscope serve' },
        await ofPort(),
      ];
    }
    const fact = error instanceof Error ? error.message : String(error);
    return [{ name, state: 'missing', fact, mend: 'mend what is said, or end that host' }];
  }
}

async function ofPort(): Promise<Finding> {
  return (await accepts({ host: '127.0.0.1', port: DEFAULT_EXEC_SERVER_PORT }))
    ? {
        name: 'port',
        state: 'lacking',
        fact: `${DEFAULT_EXEC_SERVER_PORT} is in use by another program: configurations that name it do not reach the app`,
        mend: `find it with ss -ltnp 'sport = :${DEFAULT_EXEC_SERVER_PORT}', and end it`,
      }
    : good('port', `${DEFAULT_EXEC_SERVER_PORT} is free`);
}

/** Whether somebody listens there. */
function accepts(
  place: { readonly path: string } | { readonly host: string; readonly port: number },
): Promise<boolean> {
  return new Promise((resolvePromise) => {
    const socket = connect(place);
    socket.once('connect', () => {
      socket.destroy();
      resolvePromise(true);
    });
    socket.once('error', () => resolvePromise(false));
  });
}
