import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';

const ASK = JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } });

test('what was allowed for a conversation is listed, and asked about again once it is taken back', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  await writeFile(join(stateFolder, 'settings.json'), ASK, { mode: 0o600 });
  const touch = ['/bin/sh', '-c', 'touch /dev/null; exit 5'];
  const first = agent.start('p1', touch);
  await page.getByRole('button', { name: 'Allow for this session' }).click();
  expect(await first).toMatchObject({ result: {} });
  expect(await agent.start('p2', touch)).toMatchObject({ result: {} });

  await page.keyboard.press('Control+Alt+Shift+A');
  const panel = page.getByRole('dialog', { name: 'Allowed commands' });
  const grant = panel.getByRole('listitem');
  await expect(grant).toHaveCount(1);
  await expect(grant).toContainText('/bin/sh -c "touch /dev/null; exit 5"');
  await expect(grant).toContainText('without a sandbox');
  await expect(grant).toContainText('allowed by you');
  expect(await brokenRules(shellscope.page)).toEqual([]);

  // By the keyboard alone.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(panel.getByRole('button', { name: /^Revoke: / })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(panel).toContainText('Nothing is allowed beyond single runs.');
  await expect(panel).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);

  const again = agent.start('p3', touch);
  await page.getByRole('button', { name: 'Refuse', exact: true }).click();
  expect(await again).toMatchObject({ error: {} });
});

test.describe('the environment of a session', () => {
  test('says what was kept out and where each variable came from, and never a value', async ({ shellscope, agent }) => {
    const { page } = shellscope;
    await agent.start('p1', ['/bin/sh', '-c', 'sleep 1000'], {
      env: { PORT: 'value-of-port' },
      envPolicy: {
        inherit: 'all',
        ignoreDefaultExcludes: true,
        exclude: ['LC_*'],
        set: { PAGER: 'value-of-pager' },
        includeOnly: [],
      },
    });
    await expect(shellscope.tabs).toHaveCount(1);
    await page.keyboard.press('Control+Alt+Shift+E');
    const panel = page.getByRole('dialog', { name: 'Environment' });
    const names = (title: string) => panel.getByRole('list', { name: title }).getByRole('listitem');
    await expect(names('Given by the client')).toHaveText(['PORT']);
    await expect(names('Set by the client’s rules')).toHaveText(['PAGER']);
    await expect(names('Set by Shellscope')).toHaveText(['SHELLSCOPE_SESSION']);
    await expect(names('Kept out')).toContainText(['EXAMPLE_API_TOKEN']);
    // What is many is behind its title, by the keyboard as well.
    const inherited = panel.locator('details[data-source=host]');
    if ((await inherited.getAttribute('open')) === null) {
      await inherited.locator('summary').press('Enter');
    }
    await expect(names('Inherited').filter({ hasText: /^HOME$/ })).toHaveCount(1);
    const content = await page.content();
    expect(content).not.toContain('value-of-');
    expect(content).not.toContain('example-secret');
    expect(await brokenRules(shellscope.page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
  });

  test.beforeAll(() => {
    process.env['EXAMPLE_API_TOKEN'] = 'example-secret';
  });
  test.afterAll(() => {
    delete process.env['EXAMPLE_API_TOKEN'];
  });
});
