import { describe, expect, test } from 'vitest';
import { Places } from './places.ts';

describe('Places', () => {
  test('are taken by so many at a time, then in the order in which others came', async () => {
    const places = new Places(2);
    const order: number[] = [];
    const takers = Array.from({ length: 5 }, async (_each, index) => {
      const place = await places.take();
      order.push(index);
      return place;
    });
    const taken = await Promise.all([takers[0], takers[1]]);
    expect(order).toEqual([0, 1]);
    taken[1]?.free();
    const third = await takers[2];
    expect(order).toEqual([0, 1, 2]);
    third?.free();
    taken[0]?.free();
    await Promise.all(takers);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });
});
