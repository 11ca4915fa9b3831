import { spawn as spawnPipes } from 'node:child_process';
import { spawn as spawnPty } from 'node-pty';
import { CHILD_ENVIRONMENT, type Contender } from './contender.ts';
import { LAST_WORDS } from './measures.ts';

/** node-pty as its README uses it. */
export const nodePty: Contender = {
  name: 'node-pty, pty',
  close: async () => {},
  start: async ([file, ...args], onOutput) => {
    const child = spawnPty(file, args, { name: 'xterm-color', cols: 80, rows: 30, cwd: '/', env: CHILD_ENVIRONMENT });
    child.onData((data) => onOutput(Buffer.byteLength(data)));
    const exited = new Promise<bigint>((resolve) => {
      child.onExit(() => resolve(process.hrtime.bigint()));
    });
    return {
      exited,
      // It tells of an exit when the stream has ended.
      over: exited.then(() => {}),
      write: (text) => child.write(text),
      end: () => child.kill('SIGKILL'),
    };
  },
};

/** node:child_process as its documentation uses it. */
export const childProcess: Contender = {
  name: 'child_process, pipe',
  close: async () => {},
  start: async ([file, ...args], onOutput) => {
    const child = spawnPipes(file, args, { cwd: '/', env: CHILD_ENVIRONMENT });
    child.stdout.on('data', (bytes: Buffer) => onOutput(bytes.length));
    return {
      exited: new Promise((resolve) => {
        child.on('exit', () => resolve(process.hrtime.bigint()));
      }),
      over: new Promise((resolve) => {
        child.on('close', () => resolve());
      }),
      write: (text) => void child.stdin.write(text),
      end: () => child.kill('SIGKILL'),
    };
  },
};

/** A program in C that does nothing but read its child and wait for it: what the machine itself takes. Only for exits. */
export const waiting: Contender = {
  name: 'waitpid in C, pipe',
  close: async () => {},
  start: async (argv, onOutput) => {
    const parent = spawnPipes(LAST_WORDS, ['--wait', ...argv], { cwd: '/', env: CHILD_ENVIRONMENT });
    let said = '';
    parent.stdout.setEncoding('latin1').on('data', (text: string) => (said += text));
    const exited = new Promise<bigint>((resolve) => {
      parent.on('close', () => {
        const [bytes, toldAt = 0] = said.split(' ');
        onOutput(Number(bytes));
        resolve(BigInt(toldAt));
      });
    });
    return {
      exited,
      over: exited.then(() => {}),
      write: () => {},
      end: () => parent.kill('SIGKILL'),
    };
  },
};
