/** The part of an xterm buffer that reading it needs. */
export interface ReadableBuffer {
  readonly length: number;
  getLine(y: number): { readonly isWrapped: boolean; translateToString(trimRight?: boolean): string } | undefined;
}

/**
 * All lines of a terminal's buffer, scrollback included: wrapped lines are joined, every line is trimmed on the right,
 * and empty lines at the end are left out.
 */
export function screenText(buffer: ReadableBuffer): string {
  const lines: string[] = [];
  for (let y = 0; y < buffer.length; y += 1) {
    const line = buffer.getLine(y);
    if (line === undefined) {
      break;
    }
    // A wrapped row is full, so its own blanks are text; only the last row of a line may be trimmed.
    const isContinued = buffer.getLine(y + 1)?.isWrapped ?? false;
    const text = line.translateToString(!isContinued);
    const previous = lines.at(-1);
    if (line.isWrapped && previous !== undefined) {
      lines[lines.length - 1] = previous + text;
    } else {
      lines.push(text);
    }
  }
  const trimmed = lines.map((line) => line.trimEnd());
  while (trimmed.at(-1) === '') {
    trimmed.pop();
  }
  return trimmed.join('\n');
}
