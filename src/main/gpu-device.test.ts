import { expect, it } from 'vitest';
import { hasNoGpu } from './gpu-device.ts';

it.each(['use-angle', 'use-gl', 'ignore-gpu-blocklist'])(
  'leaves it to Chromium where --%s says how to draw',
  (given) => {
    expect(hasNoGpu((name) => name === given)).toBe(false);
  },
);
