import { lookup } from 'node:dns/promises';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { ListedHosts } from '../../shared/host-pattern.ts';
import { TurnoverSet } from '../../shared/turnover.ts';
import type { RefusedHost, Resolve } from './host-gate.ts';
import { HostRules } from './host-rules.ts';
import { NetworkProxy } from './network-proxy.ts';

export interface SandboxNetworksOptions {
  /** Where sockets are made: a folder that every sandbox hides. Null: nowhere, and no list of hosts can be held. */
  readonly folder: string | null;
  /** Default: the system's. */
  readonly resolve?: Resolve;
}

/** The way out of one sandbox. */
export interface SandboxNetwork {
  /** Absolute path of the socket behind which its proxy is. */
  readonly socket: string;
  /** From now on refusals are told here, with those from before. */
  tellTo(listener: (refused: NotedRefusal) => void): void;
  dispose(): void;
}

/** A refusal that is worth a line: the first of each host, the tenth, the hundredth. */
export interface NotedRefusal extends RefusedHost {
  /** How often it was refused by now. */
  readonly times: number;
}

/** Different hosts that are noted for one sandbox: a program that tries out names shall not wash away what was noted before. */
const MAX_NOTED_HOSTS = 200;

/** The proxies of all sandboxes that may reach some hosts, one for each. */
export class SandboxNetworks {
  readonly #options: SandboxNetworksOptions;
  readonly #open = new TurnoverSet<SandboxNetwork>();
  #lastNumber = 0;

  constructor(options: SandboxNetworksOptions) {
    this.#options = options;
  }

  /** Rejects with `invalid-argument` for what is no host, and with `spawn-failed` where no socket can be made. */
  async open(hosts: ListedHosts): Promise<SandboxNetwork> {
    const rules = new HostRules(hosts);
    const refusals = new Refusals();
    const proxy = new NetworkProxy({
      rules,
      resolve: this.#options.resolve ?? systemResolve,
      onRefused: (refused) => refusals.note(refused),
    });
    const socket = this.#newPath();
    await proxy.listen(socket);
    const network: SandboxNetwork = {
      socket,
      tellTo: (listener) => refusals.tellTo(listener),
      dispose: () => {
        this.#open.delete(network);
        proxy.dispose();
      },
    };
    this.#open.add(network);
    return network;
  }

  dispose(): void {
    for (const network of this.#open) {
      network.dispose();
    }
  }

  #newPath(): string {
    const { folder } = this.#options;
    if (folder === null) {
      throw new EngineError('spawn-failed', 'this host has no folder for the sockets of sandboxes (networkFolder)');
    }
    if (this.#lastNumber === 0) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      removeLeftOvers(folder);
    }
    this.#lastNumber += 1;
    return join(folder, `${process.pid}-${this.#lastNumber}`);
  }
}

/** Sockets of hosts that crashed; those of others that live stay. */
function removeLeftOvers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^(\d+)-\d+$/.exec(name) ?? [];
    if (pid !== undefined && (Number(pid) === process.pid || !existsSync(`/proc/${pid}`))) {
      rmSync(join(folder, name), { force: true });
    }
  }
}

async function systemResolve(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

/** What was refused before anybody could be told, and how often. */
class Refusals {
  readonly #times = new Map<string, number>();
  #untold: NotedRefusal[] = [];
  #listener: ((refused: NotedRefusal) => void) | null = null;

  note(refused: RefusedHost): void {
    const key = `${refused.host} ${refused.port}`;
    const times = (this.#times.get(key) ?? 0) + 1;
    if (times === 1 && this.#times.size >= MAX_NOTED_HOSTS) {
      return;
    }
    this.#times.set(key, times);
    if (!/^10*$/.test(String(times))) {
      return;
    }
    if (this.#listener === null) {
      this.#untold.push({ ...refused, times });
    } else {
      this.#listener({ ...refused, times });
    }
  }

  tellTo(listener: (refused: NotedRefusal) => void): void {
    this.#listener = listener;
    const untold = this.#untold;
    this.#untold = [];
    for (const refused of untold) {
      listener(refused);
    }
  }
}
