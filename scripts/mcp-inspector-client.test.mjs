// @ts-check
import { expect, it } from 'vitest';
import { pinnedMcpInspector, resolveMcpInspector } from './mcp-inspector-client.mjs';

it('is an exact version, and another build when its lock is another', () => {
  const { version, build } = pinnedMcpInspector();
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(build).toMatch(/^\d+\.\d+\.\d+-[0-9a-f]{12}$/);
});

it('says what is wrong where the named one is not there', async () => {
  await expect(resolveMcpInspector({ SHELLSCOPE_MCP_INSPECTOR: '/no/such/package' })).rejects.toThrow(
    'SHELLSCOPE_MCP_INSPECTOR is /no/such/package, but no package is there',
  );
});
