import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { citationsOf, type TestFile } from './citations.ts';
import { problemsOf } from './manifest.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

test('each behaviour is cited by a test or listed as open, and each citation is of a behaviour', async () => {
  const behaviours = (await readJson('behaviours.json')) as Record<string, string>;
  const open = (await readJson('open.json')) as string[];
  const tests = [
    ...(await filesOf('src', /\.test\.tsx?$/)),
    ...(await filesOf('test', /\.test\.tsx?$/)),
    ...(await filesOf('e2e', /\.spec\.tsx?$/)),
  ];

  expect(Object.keys(behaviours)).toHaveLength(69);
  expect(tests.map(({ path }) => path)).toContain('test/requirements/requirements.test.ts');
  expect(problemsOf({ behaviours, open, tests })).toEqual([]);
});

describe('the check of the manifest', () => {
  const behaviours = { A1: 'starts', A2: 'writes', S1: 'remembers' };
  const tests = [planted(`test('A1 S1: it starts', () => {});`)];

  test('is content when each id is either cited or open', () => {
    expect(problemsOf({ behaviours, open: ['A2'], tests })).toEqual([]);
  });

  test('finds an id that is neither cited nor open', () => {
    expect(problemsOf({ behaviours, open: [], tests })).toEqual(['A2 is cited by no test that runs: writes']);
  });

  test('finds a citation of an unknown id', () => {
    expect(problemsOf({ behaviours, open: ['A2'], tests: [...tests, planted(`it('A9: odd', () => {});`)] })).toEqual([
      'planted.test.ts cites A9, which is no behaviour: "A9: odd"',
    ]);
  });

  test('finds an id that is cited and still listed as open', () => {
    expect(problemsOf({ behaviours, open: ['A2', 'S1'], tests })).toEqual([
      'S1 is cited by a test now: take it out of open.json',
    ]);
  });

  test('finds unknown ids and duplicates in open.json', () => {
    expect(problemsOf({ behaviours, open: ['A2', 'B7', 'A2'], tests })).toEqual([
      'open.json lists B7, which is no behaviour',
      'open.json lists A2 twice',
    ]);
  });

  test('finds a title that is nearly a citation', () => {
    expect(
      problemsOf({ behaviours, open: ['A2'], tests: [...tests, planted(`it('A2,S1: both', () => {});`)] }),
    ).toEqual(['planted.test.ts: a citation is written "A3: …" or "A3 S1: …", not "A2,S1: both"']);
  });
});

describe('a citation', () => {
  test.each([
    ['a string', `test('A1: runs', () => {});`],
    ['a template', 'it(`A1: runs`, () => {});'],
    ['a template with values', 'it(`A1: ${1} run`, () => {});'],
    ['it.only', `it.only('A1: runs', () => {});`],
    ['a title after a table', `test.each([[1]])('A1: %i runs', () => {});`],
    ['a title after a table in a template', 'test.each`a\n${1}`("A1: $a runs", () => {});'],
    ['a title that runs on some systems', `test.skipIf(true)('A1: runs', () => {});`],
    ['a group', `describe('A1: runs', () => { test('at once', () => {}); });`],
    ["Playwright's group", `test.describe('A1: runs', () => { test('at once', () => {}); });`],
    ['a test within a function', `function suite(): void { test('A1: runs', async () => { await 1; }); }`],
    ['a test with types and options', `test<{ a: number }>('A1: runs', { timeout: 1 }, (): void => {});`],
  ])('is read from %s', (_, text) => {
    expect(citationsOf([planted(text)]).citations.flatMap(({ ids }) => ids)).toEqual(['A1']);
  });

  test.each([
    ['a comment', `// test('A1: runs')`],
    ['a text', `const text = "test('A1: runs')";`],
    ['a skipped test', `test.skip('A1: runs', () => {});`],
    ['a test to be written', `test.todo('A1: runs');`],
    ['a test of a skipped group', `describe.skip('all', () => { test('A1: runs', () => {}); });`],
    ['a group without tests', `describe('A1: runs', () => { test.todo('at once'); });`],
    ['a step', `test.step('A1: runs', () => {});`],
    ['another function', `log('A1: runs');`],
    ['the middle of a title', `test('as in A1: runs', () => {});`],
    ['an id with nothing after it', `test('A1: ', () => {});`],
  ])('is not read from %s', (_, text) => {
    expect(citationsOf([planted(text)]).citations).toEqual([]);
  });

  test('is read from a file with JSX', () => {
    const file = { path: 'pane.test.tsx', text: `test('A1: shows', () => { render(<p>A2</p>); });` };

    expect(citationsOf([file]).citations).toEqual([{ path: 'pane.test.tsx', title: 'A1: shows', ids: ['A1'] }]);
  });

  test('cannot hide in a file that cannot be parsed', () => {
    expect(() => citationsOf([planted(`test('A1: runs', () => {`)])).toThrow('planted.test.ts cannot be parsed');
  });
});

function planted(text: string): TestFile {
  return { path: 'planted.test.ts', text };
}

async function readJson(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(import.meta.dirname, name), 'utf8'));
}

async function filesOf(folder: string, name: RegExp): Promise<readonly TestFile[]> {
  const paths = await readdir(join(REPOSITORY, folder), { recursive: true });
  return Promise.all(
    paths
      .filter((path) => name.test(path))
      .map(async (path) => ({
        path: [folder, ...path.split(/[\\/]/)].join('/'),
        text: await readFile(join(REPOSITORY, folder, path), 'utf8'),
      })),
  );
}
