import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/**
 * Rules of axe's that the page breaks, each with the elements: of all rules, or of these. Axe is put into a page once, and
 * tells only of what is broken in full; that takes a quarter of the time.
 */
export async function brokenRules(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  const isThere = (await page.evaluate('window.axe !== undefined')) === true;
  // The legacy mode works in one page; the other one opens a second, which Electron has none of.
  const axe = new AxeBuilder({ page, ...(isThere ? { axeSource: 'null' } : {}) })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] });
  const { violations } = await (rules.length === 0 ? axe : axe.withRules([...rules])).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
