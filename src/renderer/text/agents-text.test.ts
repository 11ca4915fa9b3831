import { describe, expect, it } from 'vitest';
import { connectedLines, connectedText } from './agents-text.ts';

describe('who is connected', () => {
  it.each([
    [[], [], null],
    [['codex'], [], 'codex connected'],
    [['codex', 'claude-code'], [], 'codex, claude-code connected'],
    [['codex', 'aider', 'codex'], [], 'codex ×2, aider connected'],
    [[], ['claude-code', 'claude-code'], 'claude-code ×2 connected'],
    [['codex-environment'], ['codex-mcp-client', 'claude-code'], 'codex ×2, claude-code connected'],
    [[null], [], '1 agent connected'],
    [[null, ''], [], '2 agents connected'],
    [[null, 'codex'], [], 'codex and 1 more connected'],
    [['a', 'b'], ['c', 'd', 'd'], 'a, b, c and 2 more connected'],
  ] as const)('of %j and over MCP %j is told as %j', (clients, mcpClients, text) => {
    expect(connectedText({ clients, mcpClients })).toBe(text);
  });

  it('has nothing unseen in a name, and no line end', () => {
    const clients = ['co\u202edex', 'a\nb', '\u200b'];
    expect(connectedText({ clients, mcpClients: [] })).toBe('co\\u202edex, a b, \\u200b connected');
  });

  it('is told of all by name, a line each', () => {
    expect(connectedLines({ clients: ['a', 'b', null, 'a'], mcpClients: ['c', 'd'] })).toBe(
      'a ×2\nb\nc\nd\n1 without a name',
    );
  });
});
