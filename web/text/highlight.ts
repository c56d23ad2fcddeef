// Syntax highlighting, loaded with the first code block. Unknown languages and very long code stay plain.
import { sanitize } from './sanitize.ts';

const maxLength = 60_000;

/** Safe HTML, or undefined for code that is not highlighted. */
export async function highlightCode(code: string, language: string): Promise<string | undefined> {
  if (code.length > maxLength || language === '') return undefined;
  const { highlighter } = await import('./languages.ts');
  const name = language.toLowerCase();
  if (highlighter.getLanguage(name) === undefined) return undefined;
  return sanitize(highlighter.highlight(code, { language: name, ignoreIllegals: true }).value);
}
