// @ts-check
import { expect, it } from 'vitest';
import { waylandAddress, x11Addresses } from './display.mjs';

it.each([
  [':0', [{ path: '/tmp/.X11-unix/X0' }, { path: '\0/tmp/.X11-unix/X0' }]],
  ['unix:12.0', [{ path: '/tmp/.X11-unix/X12' }, { path: '\0/tmp/.X11-unix/X12' }]],
  ['localhost:10.0', [{ host: 'localhost', port: 6010 }]],
  ['', []],
  ['nonsense', []],
  [undefined, []],
])('knows where the display %o listens', (display, addresses) => {
  expect(x11Addresses(display)).toEqual(addresses);
});

it.each([
  [{ WAYLAND_DISPLAY: 'wayland-0', XDG_RUNTIME_DIR: '/run/user/1000' }, { path: '/run/user/1000/wayland-0' }],
  [{ WAYLAND_DISPLAY: '/run/compositor' }, { path: '/run/compositor' }],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, undefined],
  [{}, undefined],
])('knows where the compositor of %o listens', (env, address) => {
  expect(waylandAddress(env)).toEqual(address);
});
