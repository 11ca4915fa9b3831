import { expect, test } from 'vitest';
import { noPtyPlace } from './pty-places.ts';

test('there is a place until as many pty sessions live as may', () => {
  expect(noPtyPlace(3, 4)).toBeNull();
  expect(noPtyPlace(4, 4)).toMatch(/^Maximum PTY sessions reached: 4 of 4 are live/);
  expect(noPtyPlace(5, 4)).not.toBeNull();
});
