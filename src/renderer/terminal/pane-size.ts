import { DEFAULT_TERMINAL_SIZE } from '../../shared/limits.ts';
import type { TerminalSize } from '../../shared/session.ts';
import type { Box } from '../layout/pane-boxes.ts';
import type { TerminalLook } from './terminal-appearance.ts';

type TerminalFont = Pick<TerminalLook, 'fontFamily' | 'fontSize' | 'lineHeight'>;

export interface PlannedPane {
  /** Its share of the room for panes. */
  readonly room: Box;
  readonly isDivided: boolean;
  readonly look: TerminalFont;
}

/** CSS pixels that a terminal does not fill with cells: `.xterm`'s padding in `styles/panes.css`, xterm's scroll bar. */
const PANE_EDGES = { horizontal: 2 * 8 + 14, vertical: 2 * 4 } as const;

/**
 * The size that a shell's terminal will most likely have in a part of the panes' room, for a shell that is about to be
 * opened. Reckoned, since its pane is not there yet. `isDivided`: the pane will stand beside others, beneath tabs of its
 * own. An estimate: when it is one cell off, the shell is resized once right after its start.
 */
export function estimatePaneSize(page: Window, { room, isDivided, look }: PlannedPane): TerminalSize {
  const whole = panesRoom(page);
  const strip = isDivided ? pixels(page, '--group-strip-height') : 0;
  const width = whole.width * room.width - PANE_EDGES.horizontal;
  const height = whole.height * room.height - strip - PANE_EDGES.vertical;
  const cell = measureCell(page, look);
  const cols = Math.floor(width / cell.width);
  const rows = Math.floor(height / cell.height);
  return Number.isFinite(cols) && Number.isFinite(rows) && cols > 0 && rows > 0
    ? { cols, rows }
    : DEFAULT_TERMINAL_SIZE;
}

/** Smaller than this a pane shows nothing but its frame, in CSS pixels. */
const LEAST_PANE = { width: 160, height: 120 } as const;

/** Whether a pane in a part of the panes' room would be large enough to read something in. */
export function isLargeEnough(page: Window, room: Box): boolean {
  const whole = panesRoom(page);
  return whole.width * room.width >= LEAST_PANE.width && whole.height * room.height >= LEAST_PANE.height;
}

/** What strip, side panels and status bar leave. The strip comes with the first session, and is reckoned with before. */
function panesRoom(page: Window): { readonly width: number; readonly height: number } {
  const frame = pixels(page, '--strip-height') + pixels(page, '--status-height');
  const panes = page.document.querySelector('.panes');
  return { width: panes?.clientWidth ?? page.innerWidth, height: page.innerHeight - frame };
}

/** A length of `styles/tokens.css`. */
function pixels(page: Window, property: string): number {
  const length = Number.parseFloat(page.getComputedStyle(page.document.documentElement).getPropertyValue(property));
  return Number.isFinite(length) ? length : 0;
}

/** As xterm measures it: the mean width of a run, and the height of a line in whole device pixels. */
function measureCell(page: Window, look: TerminalFont): { readonly width: number; readonly height: number } {
  const run = page.document.createElement('span');
  run.className = 'cell-probe';
  run.style.fontFamily = look.fontFamily;
  run.style.fontSize = `${look.fontSize}px`;
  run.textContent = 'W'.repeat(32);
  page.document.body.append(run);
  const width = run.offsetWidth / 32;
  const height = run.offsetHeight;
  run.remove();
  const ratio = page.devicePixelRatio;
  return { width, height: Math.floor(Math.ceil(height * ratio) * look.lineHeight) / ratio };
}
