import { describe, expect, test } from 'vitest';
import { fileError, WireError } from './wire-error.ts';

const system = (code: string) => Object.assign(new Error(`${code}: of Node, open '/p'`), { code });

describe('fileError', () => {
  // As root no mode refuses anything, so that EACCES cannot be brought about over the wire in these tests.
  test.each([
    ['ENOENT', -32_004, 'No such file or directory (os error 2)'],
    ['EACCES', -32_600, 'Permission denied (os error 13)'],
    ['EPERM', -32_600, 'Operation not permitted (os error 1)'],
    ['ELOOP', -32_603, 'Symbolic link loop (os error 40)'],
    ['EROFS', -32_603, 'Read-only file system (os error 30)'],
    ['EMLINK', -32_603, 'EMLINK (os error 31)'],
  ])('says %s with the code and the words of the real server', (code, wireCode, message) => {
    expect(fileError(system(code))).toMatchObject({ code: wireCode, message });
  });

  test('lets a refusal of ours through, and throws what is a fault of ours', () => {
    const refusal = new WireError(-32_600, 'why');
    expect(fileError(refusal)).toBe(refusal);
    expect(() => fileError(new TypeError('x is not a function'))).toThrow(TypeError);
    expect(() => fileError(system('ERR_INVALID_ARG_TYPE'))).toThrow('ERR_INVALID_ARG_TYPE');
  });
});
