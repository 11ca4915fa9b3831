import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EnvironmentMarks } from './environment-marks.ts';
import { lookAtProcess } from './process-table.ts';
import { MARK_NAME } from './session-mark.ts';

describe.runIf(process.platform === 'linux')('the marks of a real process', () => {
  test.each([
    ['a usual', 100],
    ['a very large', 100_000],
  ])('are found at the end of %s environment', (_, length) => {
    const child = spawn('/bin/sleep', ['60'], { env: { LARGE: 'x'.repeat(length), [MARK_NAME]: 'host:session' } });
    onTestFinished(() => void child.kill());
    const process = lookAtProcess(child.pid ?? 0);
    expect(process === null ? null : new EnvironmentMarks().of(process)).toEqual(['host:session']);
  });
});
