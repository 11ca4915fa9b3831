import { existsSync } from 'node:fs';

/** What a GPU is at on Linux: the kernel's graphics devices, drivers that have their own, and Windows' GPU under WSL. */
const DEVICES = ['/dev/dri', '/dev/nvidiactl', '/dev/dxg', '/dev/mali0', '/dev/kgsl-3d0'];

/** Switches by which somebody says how Chromium is to draw. */
const SWITCHES = ['use-angle', 'use-gl', 'ignore-gpu-blocklist'];

/**
 * Whether it is known before the start that nothing can be drawn by a GPU. Chromium finds that out by starting its GPU process
 * twice, while the page waits for it: 60 to 100 ms on two cores.
 */
export function hasNoGpu(hasSwitch: (name: string) => boolean): boolean {
  return process.platform === 'linux' && !SWITCHES.some(hasSwitch) && !DEVICES.some((device) => existsSync(device));
}
