import { describe, expect, it, vi } from 'vitest';
import { McpClients } from './mcp-clients.ts';

describe('who is connected by MCP', () => {
  it('is told by name, once for each connection, and once where there is none', () => {
    const onChanged = vi.fn();
    const clients = new McpClients(onChanged);
    const [first, second] = [clients.enter(true), clients.enter(true)];
    expect(clients.names()).toEqual([]);
    first.named('claude-code');
    second.named('claude-code');
    for (const _session of [1, 2]) {
      clients.enter(false).named('agent');
    }
    expect(clients.names()).toEqual(['claude-code', 'claude-code', 'agent']);
    expect(onChanged).toHaveBeenCalledTimes(3);
    first.leave();
    expect(clients.names()).toEqual(['claude-code', 'agent']);
  });
});
