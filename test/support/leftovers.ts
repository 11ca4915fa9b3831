import { readdirSync } from 'node:fs';
import { listProcesses } from '../../src/engine/backend/process-table.ts';

/** Runs a test's body; rejects when a child or a descriptor of this process is left that was not there before. */
export async function withoutLeftovers(body: () => Promise<void>): Promise<void> {
  const childrenBefore = await childrenOfThisProcess();
  const descriptorsBefore = openDescriptors();
  await body();
  const left = (await childrenOfThisProcess()).filter((pid) => !childrenBefore.includes(pid));
  if (left.length > 0) {
    throw new Error(`children left behind: ${left.join(', ')}`);
  }
  // The test's own end of a socket is closed some turns of the loop after the server's.
  for (const deadline = performance.now() + 1_000; openDescriptors() > descriptorsBefore;) {
    if (performance.now() > deadline) {
      break;
    }
    await new Promise(setImmediate);
  }
  if (openDescriptors() > descriptorsBefore) {
    throw new Error(`descriptors left open: ${openDescriptors() - descriptorsBefore}`);
  }
}

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

async function childrenOfThisProcess(): Promise<readonly number[]> {
  const processes = await listProcesses();
  return processes.filter(({ parentPid, zombie }) => parentPid === process.pid && !zombie).map(({ pid }) => pid);
}
