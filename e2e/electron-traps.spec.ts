import { expect, test } from './fixtures.ts';

/** A loss in one of five hundred runs shows with 98 %. The unpatched way loses the end of every second run. */
const RUNS = 2_000;

/** Milliseconds. They take about 30 s on two cores. */
const RUNS_TIMEOUT_MS = 180_000;

test('E10: in Electron too, no byte of 2,000 pty children that print 20 kB and exit is lost', async ({ agent }) => {
  test.setTimeout(RUNS_TIMEOUT_MS);
  const short: string[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const id = `run-${run}`;
    await agent.start(id, ['/bin/sh', '-c', 'head -c 20000 /dev/zero']);
    const { output, exitCode } = await agent.closedProcess(id);
    if (output.length !== 20_000 || exitCode !== 0) {
      short.push(`${id}: ${output.length} bytes, exit code ${exitCode}`);
    }
  }
  expect(short).toEqual([]);
});

for (const tty of [true, false]) {
  test(`A9: in Electron too, a child on ${tty ? 'a pty' : 'pipes'} has no descriptor but its own three`, async ({
    agent,
  }) => {
    await agent.start('one', ['/bin/cat']);
    await agent.start('gone', ['/bin/true']);
    await agent.closedProcess('gone');
    await agent.start('two', ['/bin/cat']);
    await agent.start('list', ['/bin/sh', '-c', 'ls -l /proc/self/fd'], { tty });
    const { output } = await agent.closedProcess('list');
    const listed = [...output.matchAll(/ (\d+) -> (\S+)/g)].map(([, number, target]) => `${number} ${target}`);
    expect(listed.filter((line) => !/^[012] /.test(line))).toEqual([expect.stringMatching(/^3 \/proc\/\d+\/fd$/)]);
    expect(listed.filter((line) => line.includes('ptmx'))).toEqual([]);
  });
}
