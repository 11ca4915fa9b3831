import type { ExecClient } from '../test/support/exec-client.ts';
import { expect, type Shellscope } from './fixtures.ts';

/**
 * Time until the page has drawn all of them, in milliseconds: some 15 ms of a core each, which others may need as well. A page
 * that was slowed down to a twelfth had the last one after 18 s.
 */
const DRAWN_WITHIN_MS = 30_000;

/** Has the agent run a hundred commands that end at once (`echo job 57; exit 0`), and waits until each has its tab. */
export async function runHundredSessions(shellscope: Shellscope, agent: ExecClient): Promise<void> {
  const before = await shellscope.tabs.count();
  for (let number = 1; number <= 100; number += 1) {
    const answer = await agent.start(`p${number}`, ['/bin/sh', '-c', `echo job ${number}; exit ${number % 3}`]);
    expect(answer).toMatchObject({ result: { processId: `p${number}` } });
  }
  await expect(shellscope.tabs).toHaveCount(before + 100, { timeout: DRAWN_WITHIN_MS });
}
