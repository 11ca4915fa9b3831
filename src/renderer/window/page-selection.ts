/**
 * The text that a copy takes: while a terminal has the keyboard what is selected in it, else what is selected in the rest
 * of the page. A terminal draws its selection itself, the page knows nothing of it.
 */
export function selectedText(document: Document, terminalSelection: string): string {
  const isInTerminal = document.activeElement?.closest('.terminal-host') != null;
  const pageSelection = isInTerminal ? '' : (document.getSelection()?.toString() ?? '');
  return pageSelection === '' ? terminalSelection : pageSelection;
}

/** Selects the text of the field that has the keyboard; where a terminal or nothing that can be written in has it, `inTerminal`. */
export function selectAllText(document: Document, inTerminal: () => void): void {
  const field = document.activeElement;
  if (isTextField(field)) {
    field.select();
  } else {
    inTerminal();
  }
}

/** A field of the window's own: a terminal has one, too, which no text stays in. */
export function isTextField(element: Element | null): element is HTMLInputElement | HTMLTextAreaElement {
  return element?.matches('input, textarea:not(.xterm-helper-textarea)') === true;
}
