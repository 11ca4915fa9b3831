import { describe, expect, test } from 'vitest';
import { agentEnvironment, looksLikeCredential } from './agent-environment.ts';
import { childEnvironment, type EnvironmentRequest } from './child-environment.ts';

const host = {
  PATH: '/usr/bin',
  HOME: '/home/me',
  AWS_SECRET_ACCESS_KEY: 'x',
  GITHUB_TOKEN: 'x',
  DATABASE_URL: 'postgres://me:hunter2@db/app',
  PAGER: 'less',
  SSH_AUTH_SOCK: '/run/agent.sock',
  UNSET: undefined,
};

const all: EnvironmentRequest = {
  kind: 'inherit',
  from: 'all',
  excludeCredentials: false,
  exclude: [],
  set: {},
  includeOnly: [],
  overlay: {},
};

describe('the environment of an agent’s child', () => {
  test('has no credentials of the host, and says which it was not given', () => {
    const { request, keptOut } = agentEnvironment(all, host, []);
    expect(keptOut).toEqual(['AWS_SECRET_ACCESS_KEY', 'DATABASE_URL', 'GITHUB_TOKEN', 'SSH_AUTH_SOCK']);
    const { variables, origins, leftOut } = childEnvironment(request, host);
    expect(variables).toEqual({ PATH: '/usr/bin', HOME: '/home/me', PAGER: 'less' });
    expect(origins).toEqual({ PATH: 'host', HOME: 'host', PAGER: 'host' });
    expect(leftOut).toEqual(keptOut);
  });

  test('has those that the client’s settings let through', () => {
    const { request, keptOut } = agentEnvironment(all, host, ['github_*']);
    expect(keptOut).not.toContain('GITHUB_TOKEN');
    expect(childEnvironment(request, host).variables).toHaveProperty('GITHUB_TOKEN', 'x');
  });

  test('has what the client gave it itself, also by the same name', () => {
    const { request } = agentEnvironment({ ...all, set: { A_TOKEN: '1' }, overlay: { GITHUB_TOKEN: 'own' } }, host, []);
    const { variables, origins } = childEnvironment(request, host);
    expect(variables).toMatchObject({ GITHUB_TOKEN: 'own' });
    expect(origins).toMatchObject({ GITHUB_TOKEN: 'client' });
    const exact: EnvironmentRequest = { kind: 'exact', variables: { GITHUB_TOKEN: 'own' } };
    expect(agentEnvironment(exact, host, [])).toEqual({ request: exact, keptOut: [] });
  });

  test('tells nothing of what it would not have inherited anyway', () => {
    expect(agentEnvironment({ ...all, from: 'core' }, host, []).keptOut).toEqual([]);
    expect(agentEnvironment({ ...all, exclude: ['*SECRET*'] }, host, []).keptOut).not.toContain(
      'AWS_SECRET_ACCESS_KEY',
    );
  });
});

describe('what looks like a credential', () => {
  test.each([
    ['OPENAI_API_KEY', 'x'],
    ['API_KEY_2', 'x'],
    ['my_password', 'x'],
    ['DB_PASS', 'x'],
    ['NPM_CONFIG__AUTH', 'x'],
    ['SLACK_WEBHOOK_URL', 'https://x'],
    ['ANYTHING', `ghp_${'a'.repeat(36)}`],
    ['ANYTHING', 'AKIAIOSFODNN7EXAMPLE'],
    ['ANYTHING', 'https://me:hunter2@example.org/'],
    ['ANYTHING', '-----BEGIN RSA PRIVATE KEY-----\nx'],
    ['ANYTHING', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x'],
  ])('%s=%s does', (name, value) => {
    expect(looksLikeCredential(name, value)).toBe(true);
  });

  test.each([
    ['KEYBOARD', 'us'],
    ['PASSENGER', 'x'],
    ['XDG_SESSION_PATH', 'x'],
    ['PATH', '/usr/bin:/bin'],
    ['LS_COLORS', 'rs=0:di=01;34'],
    ['HTTP_PROXY', 'http://proxy:8080'],
    ['GIT_SSH_URL', 'ssh://git@example.org/x'],
    ['EMPTY_TOKEN', ''],
  ])('%s=%s does not', (name, value) => {
    expect(looksLikeCredential(name, value)).toBe(false);
  });
});
