import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runtimeFolderOf, stateFolderOf } from '../../shared/host-folders.ts';

/** Bytes of randomness in a token; 32 leave nothing to guess. */
const TOKEN_BYTES = 32;

/** Only the owner may read and write. */
const OWNER_ONLY = 0o600;

/** See `stateFolderOf`. */
function stateFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
  return stateFolderOf({ environment, platform: process.platform, home: homedir() });
}

/** Where the control socket lies; see `runtimeFolderOf`. */
export function runtimeFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
  return runtimeFolderOf({ environment, platform: process.platform, home: homedir(), userRuntime: userRuntime() });
}

/** Where systemd puts `XDG_RUNTIME_DIR` (pam_systemd(8)), for a person who is logged in there; else null. */
export function userRuntime(folders = '/run/user'): string | null {
  const uid = process.getuid?.();
  const folder = `${folders}/${uid}`;
  const found = uid === undefined ? undefined : statSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid ? folder : null;
}

/** Where the token of the exec-server is kept when no other file was chosen. */
export function execServerTokenFile(environment: Readonly<NodeJS.ProcessEnv>): string {
  return join(stateFolder(environment), 'exec-server-token');
}

/** Where the tokens of clients are kept, as hashes; see `ClientTokens`. */
export function clientTokensFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
  return join(stateFolder(environment), 'clients');
}

/** Where an engine keeps what outlives it. */
export interface EngineFiles {
  /** Each host records there what it started, for the next one to find after a crash; see `ProcessLedger`. */
  readonly ledgerFolder: string;
  /** What sessions print; see `Transcripts`. */
  readonly transcripts: { readonly folder: string };
  /** By what agents' commands are let through, and where that is recorded; see `SafetyOptions`. */
  readonly safety: {
    readonly settingsFile: string;
    readonly auditFile: string;
    readonly hidden: readonly string[];
    readonly networkFolder: string;
  };
}

export function engineFiles(environment: Readonly<NodeJS.ProcessEnv>): EngineFiles {
  const state = stateFolder(environment);
  return {
    ledgerFolder: join(state, 'hosts'),
    transcripts: { folder: join(state, 'transcripts') },
    safety: {
      settingsFile: join(state, 'settings.json'),
      auditFile: join(state, 'audit.jsonl'),
      // No fenced command reads tokens and transcripts, or reaches the control socket.
      hidden: [state, runtimeFolder(environment)],
      networkFolder: join(runtimeFolder(environment), 'network'),
    },
  };
}

/**
 * The token in that file, made when there is none. The file is kept, so that a configuration that an agent was given
 * stays valid. Rejects when the file can be read by others, or is empty: a token that others know protects nothing.
 */
export async function readOrCreateToken(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const token = (await readToken(file)) ?? (await createToken(file));
  if (token === '') {
    throw new Error(`${file} is empty: delete it, and a new token is made`);
  }
  return token;
}

/**
 * The token in a file that somebody else made. Rejects when there is none, or it is empty or can be read by others: a
 * mistaken path shall not become a token of which no client knows.
 */
export async function readGivenToken(file: string): Promise<string> {
  const token = await readToken(file);
  if (token === null || token === '') {
    throw new Error(
      `${file} ${token === null ? 'does not exist' : 'is empty'}: write the token that clients send into it`,
    );
  }
  return token;
}

/** False when somebody besides its owner may read the file. Always true on Windows, which has no such bits. */
async function isOwnerOnly(file: string): Promise<boolean> {
  return process.platform === 'win32' || ((await stat(file)).mode & 0o077) === 0;
}

async function readToken(file: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  if (!(await isOwnerOnly(file))) {
    throw new Error(
      `${file} can be read by others: run chmod 600 on it, and put another token into it if somebody may know this one`,
    );
  }
  return text.trim();
}

/** Whole or not at all, and the first of two hosts that start at once wins: link(2) refuses a name that exists. */
async function createToken(file: string): Promise<string> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await writeFile(draft, `${token}\n`, { mode: OWNER_ONLY, flag: 'wx' });
  try {
    await chmod(draft, OWNER_ONLY);
    await link(draft, file);
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
    return (await readToken(file)) ?? '';
  } finally {
    await rm(draft, { force: true });
  }
}
