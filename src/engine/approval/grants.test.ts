import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalArgv } from './canonical-argv.ts';
import { Grants, variablesDigest, type Grant, type GrantedCommand } from './grants.ts';
import { openSecondOpinion } from './second-opinion.ts';
import type { SecondOpinion } from './shell-text.ts';

const command: GrantedCommand = {
  argv: ['npm', 'install'],
  arg0: null,
  cwd: '/home/ada/app',
  sandbox: 'workspace-write',
  variables: variablesDigest({}),
};
const session = { kind: 'session', client: 'codex', session: 'a', conversation: null } as const;
const asker = { client: 'codex', session: 'a', conversation: null };
const client = { kind: 'client', client: 'codex' } as const;

const grants = (options: Partial<ConstructorParameters<typeof Grants>[0]> = {}) =>
  new Grants({ now: () => 7, ...options });

describe('what a grant covers', () => {
  test('exactly its command and its name, directory, sandbox and variables', () => {
    const held = grants();
    const grant = held.add(command, session, 'window');
    expect(held.find(command, asker)).toEqual(grant);
    for (const other of [
      { argv: ['npm', 'install', 'x'] },
      { argv: ['npm install'] },
      { arg0: 'sh' },
      { cwd: '/work' },
      { sandbox: 'none' },
      { variables: variablesDigest({ PATH: '/tmp' }) },
    ]) {
      expect(held.find({ ...command, ...other }, asker), JSON.stringify(other)).toBeNull();
    }
  });

  test('one session of a client, or all of them; never another client', () => {
    const held = grants();
    held.add(command, session, 'window');
    expect(held.find(command, { ...asker, session: 'b' })).toBeNull();
    expect(held.find(command, { ...asker, conversation: 'x' })).toBeNull();
    held.add(command, client, 'window');
    expect(held.find(command, { ...asker, session: 'b' })?.scope).toEqual(client);
    expect(held.find(command, { ...asker, client: 'claude' })).toBeNull();
  });
});

describe('the list of them', () => {
  test('holds each once, and loses what is revoked', () => {
    const held = grants();
    const first = held.add(command, session, 'window');
    expect(held.add(command, session, 'window')).toBe(first);
    const second = held.add({ ...command, cwd: '/' }, client, 'command line');
    expect(held.list()).toEqual([first, second]);
    expect([held.revoke(first.id), held.revoke(first.id)]).toEqual([true, false]);
    expect(held.list()).toEqual([second]);
    expect(held.find(command, asker)).toBeNull();
  });

  test('of a session ends with it, in all of its conversations, and no other does', () => {
    const held = grants();
    held.add(command, session, 'window');
    held.add(command, { ...session, conversation: 'x' }, 'window');
    const kept = [held.add(command, client, 'window'), held.add(command, { ...session, session: 'b' }, 'window')];
    held.endSession('a');
    expect(held.list()).toEqual(kept);
  });

  test('for clients is kept, and is there in the next run with its ids', () => {
    const saved: (readonly Grant[])[] = [];
    const held = grants({ storage: { save: (all) => saved.push(all) } });
    held.add(command, session, 'window');
    const grant = held.add(command, client, 'window');
    expect(saved).toEqual([[grant]]);
    const next = grants({ kept: [grant] });
    expect(next.find(command, { ...asker, session: 'z' })).toEqual(grant);
    expect(next.add({ ...command, cwd: '/' }, client, 'window').id).not.toBe(grant.id);
    held.revoke(grant.id);
    expect(saved.at(-1)).toEqual([]);
  });

  test('has digests and no values of variables', () => {
    const held = grants();
    held.add({ ...command, variables: variablesDigest({ TOKEN: 'hunter2' }) }, client, 'window');
    expect(JSON.stringify(held.list())).not.toContain('hunter2');
    expect(variablesDigest({ A: '1', B: '2' })).toBe(variablesDigest({ B: '2', A: '1' }));
  });
});

describe('the argv that is remembered', () => {
  let secondOpinion: SecondOpinion;
  beforeAll(async () => {
    secondOpinion = await openSecondOpinion();
  });
  const canonical = (...argv: readonly string[]) => canonicalArgv(argv, secondOpinion);

  test('is the same for one plain command, however it is written', () => {
    const plain = ['npm', 'run', 'a b'];
    for (const line of ["npm run 'a b'", 'npm   run "a b"', ' npm run a\\ b ']) {
      expect(canonical('bash', '-lc', line)).toEqual(plain);
      expect(canonical('/bin/sh', '-c', line)).toEqual(plain);
    }
    expect(canonical(...plain)).toEqual(plain);
  });

  test.each([
    'npm run a; ls',
    '! npm run',
    '(npm run)',
    'npm run > a',
    'npm run 2>/dev/null',
    'npm run &',
    'npm run $X',
    'A=1 npm run',
    'npm "',
  ])('stays as it is for what means another thing: %s', (line) => {
    expect(canonical('bash', '-c', line)).toEqual(['bash', '-c', line]);
  });

  test('stays as it is for a shell that is none of the system, and for one with words of its own', () => {
    expect(canonical('/tmp/bash', '-c', 'ls')).toEqual(['/tmp/bash', '-c', 'ls']);
    expect(canonical('bash', '-c', 'ls', 'x')).toEqual(['bash', '-c', 'ls', 'x']);
    expect(canonical('env', 'ls')).toEqual(['env', 'ls']);
  });
});
