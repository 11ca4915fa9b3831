import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Shellscope } from './fixtures.ts';

/** Rules that axe found broken, with the elements; empty when all is well. */
async function violations({ page }: Shellscope): Promise<readonly string[]> {
  // The legacy mode works in one page; the other one opens a second, which Electron has none of.
  const { violations: found } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

for (const scheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in any state of the window, in the ${scheme} scheme`, async ({ shellscope, agent }) => {
    await shellscope.page.emulateMedia({ colorScheme: scheme });
    expect(await violations(shellscope)).toEqual([]);

    await agent.start('job', ['/bin/cat']);
    await expect(shellscope.tab(/running/)).toBeVisible();
    expect(await violations(shellscope)).toEqual([]);

    await agent.start('bad', ['/bin/sh', '-c', 'echo broken; exit 3']);
    await shellscope.tab(/exited 3/).click();
    expect(await violations(shellscope)).toEqual([]);

    await agent.start('typo', ['no-such-program']);
    await shellscope.tab(/failed to start/).click();
    expect(await violations(shellscope)).toEqual([]);

    await shellscope.page.getByRole('button', { name: 'Connect an agent' }).click();
    await expect(shellscope.page.getByText('environments.toml')).toBeVisible();
    expect(await violations(shellscope)).toEqual([]);
  });
}
