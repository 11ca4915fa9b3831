import { describe, expect } from 'vitest';
import { test, type Era, type Facts, type Road } from '../support/mcp-world.ts';

const ROADS: readonly (readonly [Road, Era])[] = [
  ['stdio', 'legacy'],
  ['http', 'modern'],
];

// oxlint-disable-next-line no-control-regex -- it is about them
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;

describe.for(ROADS)('an agent over %s, %s', ([road, era]) => {
  test('works in a session as a person would, and is told what it waits for at each step', async ({ world }) => {
    const agent = await world.connect(road, era);
    const answers: Facts[] = [];
    const step = async (tool: string, args: object) => {
      const facts = await agent.ok(tool, args);
      answers.push(facts);
      return facts;
    };

    const opened = await step('shell_open', { command: 'python3 -i -q', yield_ms: 10_000 });
    const { session_id } = opened;
    expect(opened).toMatchObject({ state: 'running', output: '>>> ', waiting: { program: 'python3' } });
    expect(['line', 'repl']).toContain(opened.waiting?.class);
    expect(opened.hint).toContain('shell_write');

    const write = (text: string) => step('shell_write', { session_id, text, submit: true, yield_ms: 10_000 });
    expect((await write('def double(n):')).output).toBe('def double(n):\n... ');
    expect((await write('    return 2 * n')).output).toBe('    return 2 * n\n... ');
    expect((await write('')).output).toBe('\n>>> ');
    expect((await write('double(21)')).output).toBe('double(21)\n42\n>>> ');

    // The whole time passes. What it does is known once it was silent for a while and was looked at; until then it is null.
    const endless = await step('shell_write', {
      session_id,
      text: 'while True: pass\r\r',
      yield_ms: 2_000,
    });
    expect(endless).toMatchObject({ state: 'running', waiting: { class: 'busy' } });
    const interrupted = await step('shell_write', { session_id, keys: ['ctrl-c'], yield_ms: 10_000 });
    expect(interrupted.output).toMatch(/KeyboardInterrupt\n>>> $/);
    const left = await step('shell_write', { session_id, text: 'exit()', submit: true, yield_ms: 10_000 });
    expect(left).toMatchObject({ exit: { code: 0, signal: null, by: 'child' }, exit_code: 0 });

    const pager = await step('shell_open', { command: 'seq 1 500 | LESS= less', yield_ms: 10_000 });
    expect(pager).toMatchObject({ output: '', waiting: { class: 'pager', program: 'less' } });
    const look = () => step('shell_read', { session_id: pager.session_id, view: 'screen' });
    const first = await look();
    expect(first.output.split('\n')).toEqual([...Array.from({ length: 23 }, (_row, at) => String(at + 1)), ':']);
    expect(first.screen).toEqual({ cols: 80, rows: 24, cursor: { row: 23, col: 1 }, title: '', full_screen: true });
    await step('shell_write', { session_id: pager.session_id, keys: ['pagedown'], yield_ms: 10_000 });
    expect((await look()).output.split('\n')[0]).toBe('24');
    await step('shell_write', { session_id: pager.session_id, keys: ['up'], yield_ms: 10_000 });
    expect((await look()).output.split('\n')[0]).toBe('23');
    const gone = await step('shell_write', { session_id: pager.session_id, keys: ['q'], yield_ms: 10_000 });
    expect(gone).toMatchObject({ exit_code: 0, output: '' });

    for (const facts of answers) {
      expect(facts).toMatchObject({
        cursor: expect.stringMatching(/^[0-9a-f]{8}:\d+$/),
        next_cursor: expect.stringMatching(/^[0-9a-f]{8}:\d+$/),
        dropped_bytes: 0,
        untrusted: true,
      });
      expect(facts.output).not.toMatch(CONTROLS);
    }
    const { output } = await agent.ok('shell_read', { session_id, cursor: 'start' });
    expect(output).toBe(
      answers
        .slice(0, 8)
        .map((facts) => facts.output)
        .join(''),
    );
  });
});
