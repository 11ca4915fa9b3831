import { describe, expect, test } from 'vitest';
import { approvalSettingsSchema, policyFor } from './policy.ts';

const rule = (decision: string, reason: string) => ({ decision, words: [reason], match: 'prefix', reason });

const settings = approvalSettingsSchema.parse({
  mode: 'ask-for-more-rights',
  rules: [rule('forbid', 'everywhere')],
  clients: { codex: { mode: 'never-ask', rules: [rule('allow', 'codex')] } },
  workspaces: {
    '/home/ada/app': { mode: 'ask-on-failure', rules: [rule('ask', 'app')] },
    '/home/ada/app/': { rules: [rule('ask', 'slash')] },
    '/work': { mode: 'never-ask' },
  },
});

const told = (client: string | null, workspace: string | null) => {
  const { mode, rules } = policyFor(settings, client, workspace);
  return [mode, ...rules.map(({ reason }) => reason)];
};

describe('what holds for a client in a workspace', () => {
  test('rules add up, and the mode is the client’s unless the workspace is stricter', () => {
    expect(told(null, null)).toEqual(['ask-for-more-rights', 'everywhere']);
    expect(told('codex', null)).toEqual(['never-ask', 'everywhere', 'codex']);
    expect(told('codex', '/home/ada/app')).toEqual(['ask-on-failure', 'everywhere', 'codex', 'app', 'slash']);
  });

  test('a workspace cannot make it laxer, and holds for the folders in it, not beside it', () => {
    expect(told(null, '/work')).toEqual(['ask-for-more-rights', 'everywhere']);
    expect(told(null, '/home/ada/app/src')).toEqual(['ask-on-failure', 'everywhere', 'app', 'slash']);
    expect(told(null, '/home/ada/application')).toEqual(['ask-for-more-rights', 'everywhere']);
  });

  test('a client with the name of a property of objects is none', () => {
    expect(told('constructor', null)).toEqual(['ask-for-more-rights', 'everywhere']);
  });
});

describe('the schema of the settings', () => {
  test('without a word about it everything is asked that is not known to be safe', () => {
    expect(approvalSettingsSchema.parse({})).toEqual({
      mode: 'ask-unless-known-safe',
      rules: [],
      clients: {},
      workspaces: {},
    });
  });

  test.each([
    [{ mode: 'never' }, 'mode'],
    [{ rules: [{ decision: 'allow', words: [], match: 'prefix', reason: 'x' }] }, 'rules.0.words'],
    [{ rules: [{ decision: 'allow', words: ['a'], match: 'prefix' }] }, 'rules.0.reason'],
    [{ rules: [{ ...rule('allow', 'x'), extra: 1 }] }, 'rules.0'],
    [{ workspaces: { 'no/path': {} } }, 'workspaces.no/path'],
    [{ clients: { a: { rules: [rule('maybe', 'x')] } } }, 'clients.a.rules.0.decision'],
  ])('%j is refused at %s', (value, path) => {
    const { error } = approvalSettingsSchema.safeParse(value);
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});
