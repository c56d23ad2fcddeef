// Typesets a formula as MathML. It is a chunk of its own. The formula is untrusted: the typesetter makes
// elements and no HTML text, takes no links, pictures or styles from the formula, and its result is checked.
import 'temml/dist/Temml-Local.css';
import temml from 'temml';
import { errorText } from '../../../src/base/errorText.ts';

export type Typeset = (tex: string, isDisplay: boolean) => TypesetResult;

type TypesetResult = { readonly element: HTMLElement } | { readonly problem: string };

/** Longer ones are no formulas that a person reads, and would hold up the page. */
const maxLength = 5_000;

/** In em and pt: a formula must not blow up the page. */
const maxSize: [number, number] = [20, 300];

export const typeset: Typeset = (tex, isDisplay) => {
  if (tex.length > maxLength) return { problem: 'The formula is too long.' };
  const element = document.createElement('span');
  try {
    temml.render(tex, element, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      strict: false,
      maxSize,
      maxExpand: 500,
      wrap: isDisplay ? 'none' : 'tex',
    });
  } catch (error) {
    return { problem: errorText(error) };
  }
  if (![...element.querySelectorAll('*')].every(isHarmless))
    return { problem: 'The formula is not allowed.' };
  element.className = isDisplay ? 'maths maths-block' : 'maths';
  if (isDisplay) {
    // A wide one scrolls, also with the keyboard.
    element.tabIndex = 0;
    element.role = 'group';
    element.ariaLabel = 'Formula';
  }
  return { element };
};

const mathElements =
  /^(?:math|semantics|m(?:i|n|o|text|space|s|row|frac|sqrt|root|style|padded|phantom|sub|sup|subsup|under|over|underover|multiscripts|prescripts|table|tr|td|enclose|action|error))$/;

function isHarmless(element: Element): boolean {
  const { localName } = element;
  if (!mathElements.test(localName) && localName !== 'span') return false;
  return element.getAttributeNames().every((name) => !/^(?:on|href|src|xlink|id$|action|name$)/i.test(name));
}
