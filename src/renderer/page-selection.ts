/**
 * The text that a copy takes: while a terminal has the keyboard what is selected in it, else what is selected in the rest
 * of the page. A terminal draws its selection itself, the page knows nothing of it.
 */
export function selectedText(document: Document, terminalSelection: string): string {
  const isInTerminal = document.activeElement?.closest('.terminal-host') != null;
  const pageSelection = isInTerminal ? '' : (document.getSelection()?.toString() ?? '');
  return pageSelection === '' ? terminalSelection : pageSelection;
}
