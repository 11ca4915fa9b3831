import { DEFAULT_TERMINAL_SIZE } from '../shared/limits.ts';
import type { TerminalSize } from '../shared/session.ts';
import { TERMINAL_FONT_FAMILY, TERMINAL_FONT_SIZE, TERMINAL_LINE_HEIGHT } from './terminal-appearance.ts';

/** CSS pixels that a terminal does not fill with cells: `.xterm`'s padding in `styles/panes.css`, xterm's scroll bar. */
const PANE_EDGES = { horizontal: 2 * 8 + 14, vertical: 2 * 4 } as const;

/**
 * The size that a shell's terminal will most likely have, for a shell that is about to be opened. Reckoned from the window
 * and not from a pane, since the empty window has neither a pane nor a tab strip yet. An estimate: when it is one cell
 * off, the shell is resized once right after its start.
 */
export function estimatePaneSize(page: Window): TerminalSize {
  const width = page.innerWidth - PANE_EDGES.horizontal;
  const height = page.innerHeight - frameHeight(page) - PANE_EDGES.vertical;
  const cell = measureCell(page);
  const cols = Math.floor(width / cell.width);
  const rows = Math.floor(height / cell.height);
  return Number.isFinite(cols) && Number.isFinite(rows) && cols > 0 && rows > 0
    ? { cols, rows }
    : DEFAULT_TERMINAL_SIZE;
}

/** Of tab strip and status bar, as `styles/tokens.css` has them. */
function frameHeight(page: Window): number {
  const style = page.getComputedStyle(page.document.documentElement);
  return ['--strip-height', '--status-height']
    .map((name) => Number.parseFloat(style.getPropertyValue(name)))
    .reduce((sum, height) => sum + (Number.isFinite(height) ? height : 0), 0);
}

/** As xterm measures it: the mean width of a run, and the height of a line in whole device pixels. */
function measureCell(page: Window): { readonly width: number; readonly height: number } {
  const run = page.document.createElement('span');
  run.className = 'cell-probe';
  run.style.fontFamily = TERMINAL_FONT_FAMILY;
  run.style.fontSize = `${TERMINAL_FONT_SIZE}px`;
  run.textContent = 'W'.repeat(32);
  page.document.body.append(run);
  const width = run.offsetWidth / 32;
  const height = run.offsetHeight;
  run.remove();
  const ratio = page.devicePixelRatio;
  return { width, height: Math.floor(Math.ceil(height * ratio) * TERMINAL_LINE_HEIGHT) / ratio };
}
