import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { FloodReader } from './flood-reader.ts';

const { child } = vi.hoisted(() => ({ child: { made: null as EventEmitter | null } }));
vi.mock('node:child_process', () => ({
  // As Node does without descriptors: there are no streams, and the error comes in a later turn.
  spawn: () => {
    child.made = new EventEmitter();
    return child.made;
  },
}));
vi.mock('./launcher.ts', () => ({
  builtProgram: () => '/flood-reader',
  readingFromFourth: () => ({ file: '/launch', args: [] }),
}));

test('without descriptors there is no reader, and nothing is thrown later', () => {
  for (let times = 0; times < 20; times += 1) {
    expect(FloodReader.start(7, { output: () => {}, ended: () => {} })).toBeNull();
    expect(() => child.made?.emit('error', new Error('EMFILE'))).not.toThrow();
  }
});
