import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { muteAnswers } from './mute-answers.ts';

const ESC = '\u001B';
const ST = `${ESC}\\`;

const QUESTIONS = [
  `${ESC}[c`,
  `${ESC}[0c`,
  `${ESC}[>c`,
  `${ESC}[5n`,
  `${ESC}[6n`,
  `${ESC}[?6n`,
  `${ESC}[4$p`,
  `${ESC}[?2004$p`,
  `${ESC}P$qr${ST}`,
  `${ESC}P$q q${ST}`,
  `${ESC}]4;1;?${ST}`,
  `${ESC}]10;?${ST}`,
  `${ESC}]11;?${ST}`,
  `${ESC}]12;?${ST}`,
];

/** What a terminal says to the output. */
function saidTo(output: string, isMuted: boolean): Promise<string> {
  const terminal = new Terminal({ allowProposedApi: true });
  if (isMuted) {
    muteAnswers(terminal);
  }
  let said = '';
  terminal.onData((data) => (said += data));
  return new Promise((resolve) => {
    terminal.write(output, () => {
      terminal.input('key');
      resolve(said);
      terminal.dispose();
    });
  });
}

test.each(QUESTIONS)('a pane does not answer %j, and a key still passes', async (question) => {
  expect(await saidTo(question, true)).toBe('key');
});

test('without that it would answer', async () => {
  expect(await saidTo(QUESTIONS.slice(0, 10).join(''), false)).toMatch(/\[\?1;2c.*key$/s);
});
