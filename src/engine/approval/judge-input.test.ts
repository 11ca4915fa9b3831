import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WaitingFor, WaitingKind } from '../../shared/session.ts';
import { judgeInput, type InputPlace, type JudgedBytes } from './judge-input.ts';

const waits = (kind: WaitingKind, program: string | null): WaitingFor => ({
  kind,
  pid: 1,
  program,
  echo: true,
  canonical: true,
});

const atPrompt: InputPlace = { waitingFor: waits('repl', 'bash'), pendingLine: '', isShellSession: true };

const judge = (text: string, place: Partial<InputPlace> = {}): JudgedBytes =>
  judgeInput(Buffer.from(text), { ...atPrompt, ...place });

const runs = (text: string, pendingLine = ''): JudgedBytes => ({ kind: 'commands', text, pendingLine });

describe('at a prompt of a shell', () => {
  test('a line with Enter is a command, and what follows stays on the line', () => {
    expect(judge('ls\n')).toEqual(runs('ls'));
    expect(judge('ls\r')).toEqual(runs('ls'));
    expect(judge('ls\r\npwd\r\ngit')).toEqual(runs('ls\npwd', 'git'));
  });

  test('what is typed in pieces is judged as a whole', () => {
    expect(judge('rm ')).toEqual({ kind: 'nothing-runs', pendingLine: 'rm ' });
    expect(judge('-rf x\n', { pendingLine: 'rm ' })).toEqual(runs('rm -rf x'));
  });

  test('however a text is cut, the same commands are judged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', ';', '\n', 'é'), maxLength: 30 }),
        fc.nat(30),
        (text, cut) => {
          const [first, second] = [text.slice(0, cut), text.slice(cut)].map((piece) => piece);
          const one = judge(first ?? '');
          const pendingLine = 'pendingLine' in one ? one.pendingLine : '';
          const two = judge(second ?? '', { pendingLine });
          const told = [one, two].flatMap((judged) => (judged.kind === 'commands' ? [judged.text] : [])).join('\n');
          const whole = judge(text);
          expect(told).toBe(whole.kind === 'commands' ? whole.text : '');
        },
      ),
    );
  });

  test('keys that make another line of it are unclear', () => {
    for (const text of [
      '\t',
      'l\t\n',
      '\u001b[A\n',
      '\u0012rm\n',
      '\u0016x\n',
      'a\u007f\n',
      'ls\u0001rm \n',
      '\u001bx',
    ]) {
      expect(judge(text).kind, JSON.stringify(text)).toBe('unclear');
    }
  });

  test('so is what recalls an earlier command', () => {
    for (const text of ['!!\n', '!rm\n', 'echo "!x"\n', '^ls^rm\n', 'ls !$\n']) {
      expect(judge(text).kind, text).toBe('unclear');
    }
    expect(judge('! ls\n')).toEqual(runs('! ls'));
    expect(judge('[ a != b ]\n')).toEqual(runs('[ a != b ]'));
  });

  test('so is Enter on a line that nobody knows', () => {
    expect(judge('\n', { pendingLine: null }).kind).toBe('unclear');
  });

  test('a shell is one also without its line editor, and on a pipe', () => {
    for (const kind of ['line', 'input', 'keys', 'repl'] as const) {
      for (const program of ['sh', 'dash', 'zsh', 'fish']) {
        expect(judge('ls\n', { waitingFor: waits(kind, program) })).toEqual(runs('ls'));
      }
    }
  });

  test('what another shell may read otherwise is unclear', () => {
    for (const program of ['zsh', 'fish']) {
      const waitingFor = waits('repl', program);
      expect(judge('ls # ; rm x\n', { waitingFor }).kind).toBe('unclear');
      expect(judge('=ls\n', { waitingFor }).kind).toBe('unclear');
      expect(judge('git status && ls\n', { waitingFor })).toEqual(runs('git status && ls'));
    }
    expect(judge('ls # ; rm x\n')).toEqual(runs('ls # ; rm x'));
    expect(judge('ls # ; rm x\n', { waitingFor: waits('busy', 'sleep') }).kind).toBe('unclear');
  });

  test('Ctrl-C and its kin always pass, and clear the line', () => {
    for (const key of ['\u0003', '\u0004', '\u001a', '\u001c', '\u0003\u0003']) {
      expect(judge(key, { pendingLine: 'rm -rf x' })).toEqual({ kind: 'nothing-runs', pendingLine: '' });
    }
    // Together with a command it is no key alone.
    expect(judge('\u0003rm x\n').kind).toBe('unclear');
  });
});

describe('elsewhere', () => {
  test('a program that was allowed reads its line', () => {
    expect(judge('yes\n', { waitingFor: waits('line', 'npm') })).toEqual({ kind: 'data' });
    expect(judge('1+1\n', { waitingFor: waits('repl', 'python3') })).toEqual({ kind: 'data' });
    expect(judge(':q\n', { waitingFor: waits('keys', 'vim') })).toEqual({ kind: 'data' });
  });

  test('a second line would be read by the shell behind it', () => {
    expect(judge('y\nrm x\n', { waitingFor: waits('line', 'npm') }).kind).toBe('unclear');
    expect(judge('y\nrm x\n', { waitingFor: waits('line', 'npm'), isShellSession: false })).toEqual({ kind: 'data' });
  });

  test('what is typed ahead of a shell is a command', () => {
    expect(judge('rm x\n', { waitingFor: waits('busy', 'sleep') })).toEqual(runs('rm x'));
    expect(judge('rm x\n', { waitingFor: null, isShellSession: false })).toEqual(runs('rm x'));
    expect(judge('x\n', { waitingFor: waits('busy', 'server'), isShellSession: false })).toEqual({ kind: 'data' });
  });

  test('a password is never given unasked', () => {
    expect(judge('secret\n', { waitingFor: waits('password', 'sudo') }).kind).toBe('unclear');
  });

  test('in a pager one may move and leave', () => {
    const waitingFor = waits('pager', 'less');
    expect(judge('q', { waitingFor })).toEqual({ kind: 'data' });
    for (const text of ['!id\n', '|$id\n', 'v', 's/tmp/x\n', ':e x\n']) {
      expect(judge(text, { waitingFor }).kind, text).toBe('unclear');
    }
  });

  test('what is no text is unclear', () => {
    expect(judgeInput(Uint8Array.of(0xff, 0x0a), atPrompt).kind).toBe('unclear');
    expect(judgeInput(Uint8Array.of(0xc3), atPrompt).kind).toBe('unclear');
  });
});
