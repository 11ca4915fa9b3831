import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A client that was given a token of its own. */
export interface KnownClient {
  readonly name: string;
  /** Unix time in milliseconds. */
  readonly createdAtMs: number;
}

/** Bytes of randomness in a token; 32 leave nothing to guess, so that a plain hash of it can be stored. */
const TOKEN_BYTES = 32;

const OWNER_ONLY = 0o600;

const ENDING = '.json';

interface StoredClient extends KnownClient {
  readonly tokenSha256: string;
}

/**
 * Tokens of clients, stored as their hashes: a file per client, which the file system lets be made once, so that any
 * number of commands and hosts share the folder without a lock. Read anew at each question: a token that was revoked
 * lets nobody in from that moment on.
 */
export class ClientTokens {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Makes a token for a client and answers it; it cannot be had again. Rejects with a sentence when the name is none,
   * or is taken.
   */
  async create(name: string): Promise<string> {
    if (!isClientName(name)) {
      throw new Error(`'${name}' cannot be a client's name: use 1 to 64 letters, digits, '.', '-' and '_'`);
    }
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const stored: StoredClient = { name, createdAtMs: Date.now(), tokenSha256: sha256(token).toString('hex') };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(this.#fileOf(name), `${JSON.stringify(stored)}\n`, { mode: OWNER_ONLY, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        throw new Error(`client '${name}' has a token already; revoke it first, or choose another name`, {
          cause: error,
        });
      }
      throw error;
    }
    return token;
  }

  /** All clients with a token, by name. */
  list(): readonly KnownClient[] {
    return this.#read().map(({ name, createdAtMs }) => ({ name, createdAtMs }));
  }

  /** Answers false when no client has that name. Connections that are open stay open. */
  async revoke(name: string): Promise<boolean> {
    if (!isClientName(name) || !this.#read().some((client) => client.name === name)) {
      return false;
    }
    await rm(this.#fileOf(name), { force: true });
    return true;
  }

  /** Whose token it is, or null. Takes the same time whichever it is. */
  nameOf(token: string): string | null {
    const asked = sha256(token);
    let name: string | null = null;
    for (const client of this.#read()) {
      if (timingSafeEqual(asked, Buffer.from(client.tokenSha256, 'hex'))) {
        ({ name } = client);
      }
    }
    return name;
  }

  #fileOf(name: string): string {
    return join(this.#folder, name + ENDING);
  }

  #read(): readonly StoredClient[] {
    let names: readonly string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      // No client was ever given one.
      return [];
    }
    return names
      .filter((name) => name.endsWith(ENDING))
      .toSorted()
      .flatMap((name) => parseClient(this.#folder, name) ?? []);
  }
}

function isClientName(name: string): boolean {
  return /^[\w-][\w.-]{0,63}$/.test(name);
}

/** Null for a file that is being written, or is none of ours: it lets nobody in. */
function parseClient(folder: string, file: string): StoredClient | null {
  try {
    const stored = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Partial<StoredClient>;
    const isWhole =
      stored.name !== undefined &&
      stored.name + ENDING === file &&
      typeof stored.createdAtMs === 'number' &&
      /^[0-9a-f]{64}$/.test(stored.tokenSha256 ?? '');
    return isWhole ? (stored as StoredClient) : null;
  } catch {
    return null;
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
