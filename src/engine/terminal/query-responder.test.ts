import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_COLOURS } from './terminal-colours.ts';
import { AskedSession } from './testing/asked-session.ts';
import { ANSWERED_QUERIES, cut, queryfulOutput, UNANSWERED_QUERIES } from './testing/query-bytes.ts';
import { ReferenceTerminal } from './testing/reference-terminal.ts';

const ESC = '\u001B';
const ST = `${ESC}\\`;
/** DSR and its reply: what was asked before it is answered before it. */
const MARK = `${ESC}[5n`;
const MARKED = `${ESC}[0n`;
const CPR = `${ESC}[6n`;

/** A session that ends with the test. */
function session(...options: ConstructorParameters<typeof AskedSession>): AskedSession {
  const asked = new AskedSession(...options);
  onTestFinished(() => asked.responder.dispose());
  return asked;
}

/** What a new session's terminal says to this output. */
async function answersTo(output: string): Promise<string> {
  const asked = session();
  asked.print(output + MARK);
  const said = await asked.saidUpTo(MARKED);
  return said.slice(0, -MARKED.length);
}

describe('the terminal that answers', () => {
  /** As documented for the xterm.js of the window: a VT100 with AVO, xterm 276, black and white with the Tango palette. */
  const replies: Readonly<Record<keyof typeof ANSWERED_QUERIES, string>> = {
    DA1: '[?1;2c',
    'DA1 with a parameter': '[?1;2c',
    'DA1 with a control character inside': '[?1;2c',
    'DA1 by a one-character CSI': '[?1;2c',
    DA2: '[>0;276;0c',
    'DA2 with a parameter': '[>0;276;0c',
    DSR: '[0n',
    CPR: '[1;1R',
    DECXCPR: '[?1;1R',
    DECRQM: '[?2004;2$y',
    'DECRQM of an ANSI mode': '[4;2$y',
    'DECRQSS of the margins': 'P1$r1;24rE',
    'DECRQSS of the cursor style': 'P1$r2 qE',
    'DECRQSS by one-character DCS and ST': 'P1$r0mE',
    'OSC 4': ']4;1;rgb:cccc/0000/0000E',
    'OSC 4 for two': ']4;0;rgb:2e2e/3434/3636E]4;200;rgb:ffff/0000/d7d7E',
    'OSC 10': ']10;rgb:ffff/ffff/ffffE',
    'OSC 10 for all three': ']10;rgb:ffff/ffff/ffffE]11;rgb:0000/0000/0000E]12;rgb:ffff/ffff/ffffE',
    'OSC 11': ']11;rgb:0000/0000/0000E',
    'OSC 12': ']12;rgb:ffff/ffff/ffffE',
  };
  for (const [name, reply] of Object.entries(replies)) {
    test(`answers ${name} as a pane would`, async () => {
      const query = ANSWERED_QUERIES[name as keyof typeof ANSWERED_QUERIES];
      // E stands for the ST that ends a reply; each part begins with ESC.
      expect(await answersTo(query)).toBe(reply.replaceAll('E', ST).replaceAll(/[[\]P](?=[?>\d])/g, `${ESC}$&`));
    });
  }

  for (const [name, query] of Object.entries(UNANSWERED_QUERIES)) {
    test(`says nothing to ${name}, as a pane`, async () => {
      expect(await answersTo(query)).toBe('');
    });
  }

  test('knows where the cursor is, after text of every width that was printed in pieces', async () => {
    const asked = session();
    asked.print('one\r\ntwo \u001B[3');
    const wide = Buffer.from('2m你👍\u001B[0mé');
    asked.print(wide.subarray(0, 4));
    asked.print(wide.subarray(4));
    asked.print(`${CPR}`);
    expect(await asked.saidUpTo('R')).toBe(`${ESC}[2;10R`);
    asked.print(`\u001B[?1049h\u001B[7;9H${CPR}\u001B[?1049$p`);
    expect(await asked.saidUpTo('$y')).toBe(`${ESC}[2;10R${ESC}[7;9R${ESC}[?1049;1$y`);
  });

  test('answers in the order of the questions, each once', async () => {
    const asked = session();
    const places = Array.from({ length: 200 }, (_, index) => `${(index % 24) + 1};${(index % 80) + 1}`);
    for (const place of places) {
      asked.print(`${ESC}[${place}H${CPR}`);
    }
    asked.print(MARK);
    expect(await asked.saidUpTo(MARKED)).toBe(places.map((place) => `${ESC}[${place}R`).join('') + MARKED);
  });

  test('gives the size that each question was asked at, and grows as a pane does', async () => {
    const asked = session({ size: { cols: 20, rows: 4 } });
    asked.print(`${'line\r\n'.repeat(10)}${ESC}P$qr${ST}${CPR}`);
    asked.resize({ cols: 30, rows: 8 });
    asked.print(`${ESC}P$qr${ST}${CPR}`);
    await asked.saidUpTo('8;1R');
    // A terminal that grows takes lines back from above the screen: the cursor stays behind the last line.
    expect(asked.said).toBe(`${ESC}P1$r1;4r${ST}${ESC}[4;1R${ESC}P1$r1;8r${ST}${ESC}[8;1R`);
  });

  test('tells the colours it was given and those that the program has set since', async () => {
    const asked = session({ colours: { ...DEFAULT_COLOURS, background: '#102030', foreground: '#AABBCC' } });
    let asks = 0;
    const ask = async (output: string): Promise<string> => {
      const before = asked.said.length;
      // A mode that no terminal knows: its reply is another one each time.
      const mode = 7_000 + asks++;
      asked.print(`${output}${ESC}[?${mode}$p`);
      const ending = `${ESC}[?${mode};0$y`;
      return (await asked.saidUpTo(ending)).slice(before, -ending.length).replaceAll(ESC, '').replaceAll('\\', ' ');
    };
    const [b, f] = [`${ESC}]11;?\u0007`, `${ESC}]10;?\u0007`];
    expect(await ask(b + f)).toBe(']11;rgb:1010/2020/3030 ]10;rgb:aaaa/bbbb/cccc ');
    expect(await ask(`${ESC}]11;#fff\u0007${b}${ESC}]11;rgb:f/0/8${ST}${b}${ESC}]11;rgb:ffff/0/8${ST}${b}`)).toBe(
      ']11;rgb:f0f0/f0f0/f0f0 ]11;rgb:ffff/0000/8888 ]11;rgb:ffff/0000/8888 ',
    );
    expect(
      await ask(`${ESC}]4;7;#123456789abc;300;?;x;?${ST}${ESC}]4;7;?${ST}${ESC}]104;7${ST}${ESC}]4;7;?${ST}`),
    ).toBe(']4;7;rgb:1212/5656/9a9a ]4;7;rgb:d3d3/d7d7/cfcf ');
    expect(await ask(`${ESC}]111${ST}${b}${ESC}]4;232;?;255;?;16;?;231;?${ST}`)).toBe(
      ']11;rgb:1010/2020/3030 ]4;232;rgb:0808/0808/0808 ]4;255;rgb:eeee/eeee/eeee ]4;16;rgb:0000/0000/0000 ]4;231;rgb:ffff/ffff/ffff ',
    );
    expect(await ask(`${ESC}]10;#000\u0007${ESC}]4;7;#000\u0007${ESC}]104${ST}${f}${ESC}]4;7;?\u0007`)).toBe(
      ']10;rgb:0000/0000/0000 ]4;7;rgb:d3d3/d7d7/cfcf ',
    );
    asked.responder.setColours(DEFAULT_COLOURS);
    expect(await ask(b)).toBe(']11;rgb:0000/0000/0000 ');
  });

  test('refuses what is not a colour, and goes on with those it had', async () => {
    expect(() => session({ colours: { ...DEFAULT_COLOURS, cursor: 'red' } })).toThrow('cursor is not a colour');
    expect(() => session({ colours: { ...DEFAULT_COLOURS, ansi: ['#000000'] } })).toThrow('1 colours instead of 16');
    const asked = session();
    expect(() => asked.responder.setColours({ ...DEFAULT_COLOURS, background: '#fff' })).toThrow(RangeError);
    asked.print(`${ESC}]11;?${ST}`);
    expect(await asked.saidUpTo('\\')).toBe(`${ESC}]11;rgb:0000/0000/0000${ST}`);
  });
});

describe('the answers', () => {
  test('each question is answered exactly once and in order, whatever is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        queryfulOutput,
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 30, size: 'max' }),
        async (bytes, lengths, pauses) => {
          const reference = new ReferenceTerminal();
          // CAN ends what is open; then a mode that nothing else asks about.
          const ending = `\u0018${ESC}[?7000$p`;
          const wanted = await reference.parse(Buffer.concat([bytes, Buffer.from(ending)]));
          reference.dispose();
          const asked = new AskedSession();
          for (const [index, part] of cut(bytes, lengths).entries()) {
            asked.print(part);
            if (pauses[index % pauses.length] === true) {
              await new Promise((resolve) => setImmediate(resolve));
            }
          }
          asked.print(ending);
          await asked.saidUpTo('[?7000;0$y');
          asked.responder.dispose();
          expect(asked.said).toBe(wanted);
        },
      ),
      { numRuns: 60 },
    );
  }, 30_000);
});

describe('the work it makes', () => {
  test('a flood is scanned and not parsed: two questions around it look at 1 MiB', async () => {
    const asked = session();
    asked.print(`start${CPR}`);
    await asked.saidUpTo('R');
    const line = Buffer.from(
      'another line of the flood, coloured \u001B[32mgreen\u001B[0m as builds are\r\n'.repeat(900),
    );
    for (let printed = 0; printed < 100_000_000; printed += line.length) {
      asked.print(line);
    }
    asked.print(`end of it${CPR}`);
    expect(await asked.saidUpTo(';10R')).toBe(`${ESC}[1;6R${ESC}[24;10R`);
    expect(asked.replayedBytes).toBeLessThanOrEqual(1024 * 1024 + line.length + 100);
  });

  test('a replay that begins in the middle begins with a line', async () => {
    const asked = session({ retainedBytes: 100 });
    // What is retained begins inside this sequence: its rest is no text of the first line.
    asked.print(`${'x'.repeat(200)}${ESC}]0;${'title'.repeat(18)}\u0007`);
    asked.print('\r\nab');
    asked.print(CPR);
    expect(await asked.saidUpTo('R')).toBe(`${ESC}[1;3R`);
  });

  test('questions that left the retained bytes before they could be looked at stay unanswered; later ones do not', async () => {
    const asked = session({ retainedBytes: 100 });
    asked.print(`${'\n'.repeat(9)}first${CPR}`); // being parsed
    asked.print(`second${CPR}`); // waits
    asked.print('y'.repeat(500)); // and is gone
    await asked.saidUpTo('R');
    asked.print(`\r\nlast${CPR}`);
    // Eighty columns a line: what is retained of the flood fills two lines, and the mark begins the third.
    expect(await asked.saidUpTo(';5R')).toBe(`${ESC}[10;6R${ESC}[3;5R`);
  });

  test('the terminal is kept for ten seconds after an answer, then rebuilt from the retained output', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const asked = session();
    const ask = async (output: string): Promise<number> => {
      const before = asked.replayedBytes;
      asked.print(output);
      await vi.advanceTimersByTimeAsync(500);
      return asked.replayedBytes - before;
    };
    expect([await ask(`${'x'.repeat(50)}${CPR}`), await ask(`y${CPR}`)]).toEqual([54, 5]);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(await ask(`z${CPR}`)).toBe(5);
    await vi.advanceTimersByTimeAsync(10_000);
    expect({ replayed: await ask(`!${CPR}`), said: asked.said, timers: vi.getTimerCount() }).toEqual({
      replayed: 69,
      said: [51, 52, 53, 54].map((column) => `${ESC}[1;${column}R`).join(''),
      timers: 1,
    });
    asked.responder.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a session without questions never has a terminal', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const asked = session();
    asked.print(`${Object.values(UNANSWERED_QUERIES).join('')}text\r\n`);
    expect({ replayed: asked.replayedBytes, timers: vi.getTimerCount() }).toEqual({ replayed: 0, timers: 0 });
  });

  test('says nothing after its disposal, not even what it was about to', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const asked = session();
    asked.print(CPR);
    asked.responder.dispose();
    asked.print(CPR);
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ said: asked.said, timers: vi.getTimerCount() }).toEqual({ said: '', timers: 0 });
  });

  test('a size that no screen has costs no memory', async () => {
    const asked = session({ size: { cols: 1_000_000_000, rows: 1 } });
    asked.print(`wide${CPR}`);
    expect(await asked.saidUpTo('R')).toBe(`${ESC}[1;5R`);
  });
});
