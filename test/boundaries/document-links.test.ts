import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadReferences } from './document-links.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

test('what the documents link to, name or have typed is there', async () => {
  const paths = [
    ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'REVIEW.md'],
    ...(await readdir(join(REPOSITORY, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ];
  const documents = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(REPOSITORY, path), 'utf8') })),
  );
  const { scripts } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const has = (path: string): boolean => existsSync(join(REPOSITORY, path));
  expect(paths.length).toBeGreaterThan(10);
  expect(deadReferences(documents, { has, scripts: Object.keys(scripts) })).toEqual([]);
});

describe('the check of references', () => {
  const repository = {
    has: (path: string) => ['README.md', 'docs/mcp.md', 'docs/look.png', 'src/main'].includes(path),
    scripts: ['build', 'test:e2e'],
  };
  const found = (text: string, path = 'README.md') =>
    deadReferences(
      [
        { path, text },
        { path: 'docs/mcp.md', text: '## What `it` is\n' },
      ],
      repository,
    );

  test('is content with what is there', () => {
    expect(found('[tools](docs/mcp.md#what-it-is) ![](docs/look.png) [web](https://x.test/y) `src/main`')).toEqual([]);
    expect(found('[back](../README.md) [there](mcp.md)', 'docs/mcp.md')).toEqual([]);
    expect(found('`npm run test:e2e`, `npm run --silent build -- x`')).toEqual([]);
  });

  test.each([
    ['[tools](docs/mpc.md)', 'README.md: there is no docs/mpc.md'],
    ['[tools](docs/mcp.md#what-it-was)', 'README.md: docs/mcp.md has no heading #what-it-was'],
    ['see `src/mian`', 'README.md: there is no `src/mian`'],
    ['npm run --silent biuld', 'README.md: package.json has no script biuld'],
  ])('finds %s', (text, problem) => {
    expect(found(text)).toEqual([problem]);
  });
});
