import type { IFunctionIdentifier } from '@xterm/xterm';

/** What is needed of xterm's parser, in the page or headless. */
export interface AnsweringTerminal {
  readonly parser: {
    registerCsiHandler(id: IFunctionIdentifier, handle: () => boolean): unknown;
    registerDcsHandler(id: IFunctionIdentifier, handle: () => boolean): unknown;
    registerOscHandler(id: number, handle: (payload: string) => boolean): unknown;
  };
}

/** Questions that xterm.js 6 answers by itself: DA1, DA2, DSR and CPR, DECXCPR, DECRQM of both kinds. */
const CSI_QUESTIONS: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
];

/** DECRQSS. */
const DCS_QUESTION: IFunctionIdentifier = { intermediates: '$', final: 'q' };

/** Colours: the palette, foreground, background, cursor. With a colour they set it, with `?` they ask. */
const OSC_COLOURS = [4, 10, 11, 12];

/**
 * Keeps a terminal from answering what a program asks: the host does (`QueryResponder`), once, whether no window or
 * several show the session. Keys, pastes, mouse and focus reports pass.
 */
export function muteAnswers({ parser }: AnsweringTerminal): void {
  for (const question of CSI_QUESTIONS) {
    parser.registerCsiHandler(question, () => true);
  }
  parser.registerDcsHandler(DCS_QUESTION, () => true);
  for (const number of OSC_COLOURS) {
    parser.registerOscHandler(number, (payload) => payload.split(';').includes('?'));
  }
}
