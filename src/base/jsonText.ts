// JSON for people and terminals.
import { hidden } from './visibleText.ts';

/** JSON with the same meaning, in which characters that act on a terminal or are invisible are escaped. */
export function jsonText(value: unknown, indent?: number): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(value, null, indent);
  return text.replace(hidden, (letter) => letter.split('').map(escape).join(''));
}
