import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CSSStyleRule, Window, type CSSGroupingRule, type CSSRule } from 'happy-dom';
import { describe, expect, it } from 'vitest';

/** What is painted and takes no room: an outline and a shadow lie over what is there. */
const PAINT =
  /^(?:color|(?:background|border|accent|caret|text-decoration)-color|fill|stroke|outline(?:-\w+)?|box-shadow)$/;

const COLOUR = /^(?:#[\da-f]{6}|rgb\([^()]+\)|(?:Canvas|Highlight)(?:Text)?)$/;

const OF_A_LOOK = /prefers-color-scheme|prefers-contrast|data-contrast/;

/** What rules of a look set but colours: e2e asks only those rules of axe in the other looks that judge colours. */
function otherThanColours(css: string): readonly string[] {
  const sheet = new new Window().CSSStyleSheet();
  sheet.replaceSync(css);
  return [...sheet.cssRules].flatMap((rule) => found(rule, false));
}

function found(rule: CSSRule, isInside: boolean): readonly string[] {
  const head = rule.cssText.slice(0, rule.cssText.indexOf('{')).trim();
  const isOfLook = isInside || OF_A_LOOK.test(head);
  const nested = 'cssRules' in rule ? (rule as CSSGroupingRule).cssRules : [];
  const inner = [...nested].flatMap((one) => found(one, isOfLook));
  const own = isOfLook && rule instanceof CSSStyleRule ? rule.style.cssText.split(';') : [];
  return own
    .map((declaration) => declaration.trim())
    .filter((declaration) => declaration !== '' && !setsColour(declaration))
    .map((declaration) => `${head} { ${declaration} }`)
    .concat(inner);
}

function setsColour(declaration: string): boolean {
  const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/s.exec(declaration) ?? [];
  return name.startsWith('--')
    ? COLOUR.test(value)
    : PAINT.test(name) || (name === 'background' && value.startsWith('none'));
}

describe('the dark look and those of high contrast', () => {
  it('set nothing but colours', () => {
    const folder = join(import.meta.dirname, '..', '..', 'src', 'renderer', 'styles');
    const files = readdirSync(folder).filter((name) => name.endsWith('.css'));
    const css = files.map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(css.filter((text) => OF_A_LOOK.test(text)).length).toBeGreaterThan(1);
    expect(css.flatMap((text) => otherThanColours(text))).toEqual([]);
  });

  it.each([
    [":root[data-contrast='more'] { --unit: 5px; --text: #000000 }", ":root[data-contrast='more'] { --unit: 5px }"],
    [
      "[data-contrast='more'] .tab { border-width: 2px; color: red }",
      "[data-contrast='more'] .tab { border-width: 2px }",
    ],
    ['@media (prefers-color-scheme: dark) { button { field-sizing: content } }', 'button { field-sizing: content }'],
    ['@media (prefers-contrast: more) { :root { --text-size: 14px } }', ':root { --text-size: 14px }'],
  ])('would be found to set more: %s', (css, told) => {
    expect(otherThanColours(css)).toEqual([told]);
  });
});
