import { expect, it } from 'vitest';
import { codexEnvironments } from './codex-configuration.ts';

it('makes the block that Codex reads, with no way back to its own machine', () => {
  expect(codexEnvironments({ execServerUrl: 'ws://127.0.0.1:47811', token: 'abc' })).toBe(`default = "shellscope"
include_local = false

[[environments]]
id = "shellscope"
url = "ws://127.0.0.1:47811"
auth_bearer_token = "abc"
`);
});

it('names no token when the host asks for none', () => {
  expect(codexEnvironments({ execServerUrl: 'ws://127.0.0.1:1', token: '' })).not.toContain('token');
});

it('escapes what would end a TOML string', () => {
  expect(codexEnvironments({ execServerUrl: 'ws://[::1]:1', token: 'a"b\\c\u007F' })).toContain(
    'auth_bearer_token = "a\\"b\\\\c\\u007F"',
  );
});
