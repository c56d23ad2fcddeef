// Colours for code, loaded when the first code is shown. Unknown languages and very long code stay plain.
import { sanitize } from './sanitize.ts';

const longest = 60_000;

/** Highlighted and safe HTML, or nothing when there is nothing to highlight. */
export async function highlighted(code: string, language: string): Promise<string | undefined> {
  if (code.length > longest || language === '') return undefined;
  const { highlighter } = await import('./languages.ts');
  const name = language.toLowerCase();
  if (highlighter.getLanguage(name) === undefined) return undefined;
  return sanitize(highlighter.highlight(code, { language: name, ignoreIllegals: true }).value);
}
