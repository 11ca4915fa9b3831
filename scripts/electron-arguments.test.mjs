// @ts-check
import { expect, it } from 'vitest';
import { parseArguments } from './electron-default-app/arguments.js';

it.each([
  ['electron .', ['.'], { action: 'load', app: '.', preload: [] }],
  [
    'Playwright',
    ['-r', '/pw/loader.js', '--inspect=0', '--remote-debugging-port=0', '--no-sandbox', '/app', '--own', 'word'],
    { action: 'load', app: '/app', preload: ['/pw/loader.js'] },
  ],
  ['--app=', ['--no-sandbox', '--app=/a=b'], { action: 'load', app: '/a=b', preload: [] }],
  ['--version', ['--no-sandbox', '--version'], { action: 'print', text: 'version' }],
  ["an app's own --version", ['.', '--version'], { action: 'load', app: '.', preload: [] }],
  [
    'no app',
    ['--no-sandbox'],
    { action: 'refuse', reason: 'no app given; start it as `electron <folder of the app>`' },
  ],
  ['-r without a module', ['-r'], { action: 'refuse', reason: '-r needs the name of a module' }],
])('reads the command line of %s', (_, args, request) => {
  expect(parseArguments(args)).toEqual(request);
});
