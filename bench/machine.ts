import { cpus, loadavg, release, totalmem } from 'node:os';

/** What figures were taken on, in two lines. */
export function machineFacts(): string {
  const [cpu] = cpus();
  return [
    `${cpu?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${process.platform} ${release()}, ${hostName()}, load average ${loadText()}`,
  ].join('\n');
}

function hostName(): string {
  const electron = process.versions['electron'];
  return electron === undefined ? `Node ${process.versions.node}` : `Electron ${electron}`;
}

export function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(2))
    .join(' ');
}
