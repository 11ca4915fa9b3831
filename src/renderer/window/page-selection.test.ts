// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { selectAllText, selectedText } from './page-selection.ts';

beforeEach(() => {
  document.body.innerHTML = '<p>words of the page</p><div class="terminal-host"><textarea></textarea></div>';
});
afterEach(() => {
  document.getSelection()?.removeAllRanges();
  document.body.replaceChildren();
});

function selectParagraph(): void {
  const paragraph = document.querySelector('p');
  if (paragraph !== null) {
    document.getSelection()?.selectAllChildren(paragraph);
  }
}

it('is the page’s, when the keyboard is outside of a terminal', () => {
  selectParagraph();
  expect(selectedText(document, 'words of the terminal')).toBe('words of the page');
});

it('is the terminal’s, when the terminal has the keyboard or nothing else is selected', () => {
  expect(selectedText(document, 'words of the terminal')).toBe('words of the terminal');
  selectParagraph();
  document.querySelector('textarea')?.focus();
  expect(selectedText(document, 'words of the terminal')).toBe('words of the terminal');
});

it('is all of a text field that has the keyboard, else all of the terminal', () => {
  const inTerminal = vi.fn<() => void>();
  const field = document.createElement('input');
  field.value = 'words of the field';
  document.body.append(field);
  field.focus();
  selectAllText(document, inTerminal);
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 'words of the field'.length]);
  expect(inTerminal).not.toHaveBeenCalled();

  const terminal = document.querySelector('textarea');
  terminal?.classList.add('xterm-helper-textarea');
  terminal?.focus();
  selectAllText(document, inTerminal);
  expect(inTerminal).toHaveBeenCalledOnce();
});
