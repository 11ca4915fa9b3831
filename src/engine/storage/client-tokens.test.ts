import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ClientTokens } from './client-tokens.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'shellscope-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return join(path, 'clients');
}

describe('the tokens of clients', () => {
  test('name the client, are stored as hashes for the owner alone, and are known to every host at once', async () => {
    const path = folder();
    const tokens = new ClientTokens(path);
    const token = await tokens.create('codex');
    const other = await new ClientTokens(path).create('my.agent-2');
    expect([tokens.nameOf(token), tokens.nameOf(other), tokens.nameOf('x'), tokens.nameOf('')]).toEqual([
      'codex',
      'my.agent-2',
      null,
      null,
    ]);
    expect(tokens.list().map(({ name }) => name)).toEqual(['codex', 'my.agent-2']);
    for (const file of readdirSync(path)) {
      expect(statSync(join(path, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(path, file), 'utf8')).not.toContain(token);
    }
  });

  test('that were revoked let nobody in from that moment', async () => {
    const tokens = new ClientTokens(folder());
    const token = await tokens.create('codex');
    expect(await tokens.revoke('codex')).toBe(true);
    expect(await tokens.revoke('codex')).toBe(false);
    expect(tokens.nameOf(token)).toBeNull();
    expect(tokens.nameOf(await tokens.create('codex'))).toBe('codex');
  });

  test.each(['', '.', '../x', 'a/b', 'a b', 'x'.repeat(65)])('%j is no name', async (name) => {
    const tokens = new ClientTokens(folder());
    await expect(tokens.create(name)).rejects.toThrow("cannot be a client's name");
    expect(await tokens.revoke(name)).toBe(false);
  });

  test('a taken name says what to do, and a broken file lets nobody in and harms no other', async () => {
    const path = folder();
    const tokens = new ClientTokens(path);
    const token = await tokens.create('codex');
    await expect(tokens.create('codex')).rejects.toThrow('revoke it first');
    writeFileSync(join(path, 'broken.json'), '{"name":"broken","createdAtMs":1,"tokenSha256":""}');
    writeFileSync(join(path, 'cut.json'), '{"na');
    expect(tokens.nameOf(token)).toBe('codex');
    expect(tokens.nameOf('')).toBeNull();
  });
});
