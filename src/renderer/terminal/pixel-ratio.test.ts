// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { onPixelRatioChange } from './pixel-ratio.ts';

it('tells of each change of a pixel’s size, until it is stopped', () => {
  const queries: { readonly query: string; readonly target: EventTarget }[] = [];
  const page = {
    devicePixelRatio: 1,
    matchMedia: (query: string) => {
      const target = new EventTarget();
      queries.push({ query, target });
      return target;
    },
  };
  const changed = vi.fn();
  const stop = onPixelRatioChange(page as unknown as Window, changed);
  const change = (ratio: number): void => {
    page.devicePixelRatio = ratio;
    queries.at(-1)?.target.dispatchEvent(new Event('change'));
  };
  change(1.25);
  change(2);
  expect(changed).toHaveBeenCalledTimes(2);
  expect(queries.map(({ query }) => query)).toEqual([
    '(resolution: 1dppx)',
    '(resolution: 1.25dppx)',
    '(resolution: 2dppx)',
  ]);
  stop();
  change(1);
  expect(changed).toHaveBeenCalledTimes(2);
});
