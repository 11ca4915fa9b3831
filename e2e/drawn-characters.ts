import type { Locator } from '@playwright/test';

/** A character (a UTF-16 unit) of an element's text, and where it is drawn. */
export interface DrawnCharacter {
  readonly character: string;
  /** From the element's left edge, in CSS pixels. */
  readonly left: number;
}

/** The characters of an element, in the order of its text. */
export function drawnCharacters(element: Locator): Promise<readonly DrawnCharacter[]> {
  return element.evaluate((drawn) => {
    const edge = drawn.getBoundingClientRect().left;
    const found: { readonly character: string; readonly left: number }[] = [];
    const texts = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const { data } = node as Text;
      for (let at = 0; at < data.length; at += 1) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        found.push({ character: data.charAt(at), left: range.getBoundingClientRect().left - edge });
      }
    }
    return found;
  });
}
