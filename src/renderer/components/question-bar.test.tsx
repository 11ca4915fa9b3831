// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ShownQuestion } from '../../shared/approval.ts';
import { drawnWindow, type DrawnWindow } from '../testing/drawn-window.tsx';
import { exampleSession } from '../testing/example-session.ts';
import { commandText } from '../text/session-text.ts';

const publish: ShownQuestion = {
  id: 'q1',
  kind: 'start',
  client: 'codex',
  session: null,
  argv: ['npm', 'publish'],
  cwd: '/home/ada/app',
  changedVariables: ['NODE_ENV'],
  sandbox: 'workspace-write, no network',
  why: 'npm is not known to do no harm',
  rules: ['allow npm publish …'],
  offersRetry: true,
  until: null,
};

describe('an agent’s question', () => {
  let drawn: DrawnWindow;
  const cards = (): HTMLElement[] => drawn.all('.question');

  beforeEach(async () => {
    drawn = await drawnWindow();
    await drawn.perform(() => drawn.host.put(exampleSession({ id: 's1' })));
  });
  afterEach(() => drawn.end());

  it('shows the whole command and why it is asked, is counted, and takes no focus', async () => {
    const focused = document.activeElement;
    await drawn.perform(() => drawn.host.ask(publish));
    expect(cards().map((card) => card.querySelector('code')?.textContent)).toEqual(['npm publish']);
    expect(cards()[0]?.textContent).toContain('codex wants to run a command');
    for (const fact of ['/home/ada/app', 'NODE_ENV', 'workspace-write, no network', 'not known to do no harm']) {
      expect(cards()[0]?.textContent).toContain(fact);
    }
    expect(drawn.buttons()).toContain('1 question waits for you');
    expect(document.activeElement).toBe(focused);
  });

  it.each([
    ['no rule allows `npm install`', 'no rule allows npm install', ['npm install']],
    ['`<b>x</b>` may be what a rule is about: `y`', '<b>x</b> may be what a rule is about: y', ['<b>x</b>', 'y']],
    ['no rule allows `echo `date``', 'no rule allows `echo `date``', []],
    ['it holds `', 'it holds `', []],
  ])('shows what its reason %j quotes as code, and only as text', async (why, shown, quoted) => {
    await drawn.perform(() => drawn.host.ask({ ...publish, why }));
    const reason = drawn.all('.question dt').find(({ textContent }) => textContent === 'Reason')?.nextElementSibling;
    expect(reason?.textContent).toBe(shown);
    expect([...(reason?.children ?? [])].map(({ tagName, textContent }) => [tagName, textContent])).toEqual(
      quoted.map((code) => ['CODE', code]),
    );
  });

  it('is broken between words only, and says the very command', async () => {
    const argv = ['/bin/sh', '-c', 'git push  --force\n'];
    const long = ['echo', 'x '.repeat(20_000)];
    await drawn.perform(() => drawn.host.ask({ ...publish, argv }, { ...publish, id: 'q2', argv: long }));
    const [first, second] = cards().map((card) => card.querySelector('code'));
    expect(first?.textContent).toBe(commandText({ argv }));
    expect([...(first?.children ?? [])].map(({ textContent }) => textContent)).toContain('--force\\n"');
    // A whole script is one text: each word would be an element of its own.
    expect([second?.textContent, second?.children.length]).toEqual([commandText({ argv: long }), 0]);
  });

  it('names each changed variable in its own order', async () => {
    await drawn.perform(() => drawn.host.ask({ ...publish, changedVariables: ['אב', 'PATH', 'גד_הו'] }));
    const told = [...(cards()[0]?.querySelectorAll('dt') ?? [])].find(
      ({ textContent }) => textContent === 'Changed variables',
    )?.nextElementSibling;
    expect(told?.textContent).toBe('אב, PATH, גד_הו');
    expect([...(told?.querySelectorAll('bdi') ?? [])].map(({ textContent }) => textContent)).toEqual([
      'אב',
      'גד',
      'הו',
    ]);
  });

  it('shows the rules that Always allow would write whole and once, and tells them with the button', async () => {
    const rules = ['allow set -euo pipefail', ...Array<string>(30).fill('allow npm run lint -- --fix'), 'allow npm …'];
    const one = [`allow ${'a very long path '.repeat(10)}`];
    await drawn.perform(() => drawn.host.ask({ ...publish, rules }, { ...publish, id: 'q2', rules: one }));
    const told = cards().map((card) => {
      const button = [...card.querySelectorAll('button')].find(({ textContent }) => textContent === 'Always allow');
      const described = document.getElementById(button?.getAttribute('aria-describedby') ?? '');
      expect(described?.previousElementSibling?.textContent).toBe('Always allow adds');
      return [...(described?.children ?? [])].map(({ textContent }) => textContent);
    });
    expect(told).toEqual([[rules[0], rules[1], rules.at(-1)], one]);
  });

  it('is reached by its key, at the answer that changes nothing, and the next one has the keyboard then', async () => {
    await drawn.perform(() => drawn.host.ask(publish, { ...publish, id: 'q2', argv: ['git', 'push'] }));
    await drawn.perform(() => drawn.host.command('answer-question'));
    expect(document.activeElement?.textContent).toBe('Refuse');
    await drawn.perform(() => (document.activeElement as HTMLElement).click());
    expect(drawn.host.requests.answerQuestion).toHaveBeenCalledWith('q1', { kind: 'refuse', words: null });
    expect(cards().map((card) => card.querySelector('code')?.textContent)).toEqual(['git push']);
    expect(document.activeElement?.closest('.question')).toBe(cards()[0]);
  });

  it.each([
    ['Allow once', { kind: 'once', withoutSandbox: false }],
    ['Allow for this session', { kind: 'session', withoutSandbox: false }],
    ['Always allow', { kind: 'always' }],
  ])('is answered by %s', async (label, answer) => {
    await drawn.perform(() => drawn.host.ask(publish));
    await drawn.perform(() => drawn.button(label).click());
    expect(drawn.host.requests.answerQuestion).toHaveBeenCalledWith('q1', answer);
    expect(cards()).toEqual([]);
  });

  it('without a rule to write has no always, and a text to type is shown as it is', async () => {
    await drawn.perform(() => drawn.host.ask({ ...publish, kind: 'input', argv: ['rm -rf x\r'], rules: [] }));
    expect(drawn.buttons().some((label) => label.startsWith('Always'))).toBe(false);
    expect(cards()[0]?.querySelector('code')?.textContent).toBe('"rm -rf x\\r"');
  });
});
