// Highlighted code as runs of text, line by line, for views that colour more than the syntax.
import { highlightCode } from './highlight.ts';
import type { Run } from './runs.ts';

/** Undefined for code that is not highlighted. */
export async function codeRuns(
  code: string,
  language: string,
): Promise<readonly (readonly Run[])[] | undefined> {
  const html = await highlightCode(code, language);
  if (html === undefined) return undefined;
  const root = document.createElement('code');
  root.innerHTML = html;
  const lines: Run[][] = [[]];
  const walk = (node: Node, kind: string): void => {
    for (const child of node.childNodes) {
      if (child instanceof Element) walk(child, child.className);
      else
        for (const [index, text] of (child.textContent ?? '').split('\n').entries()) {
          if (index > 0) lines.push([]);
          if (text !== '') lines.at(-1)?.push({ text, kind });
        }
    }
  };
  walk(root, '');
  return lines;
}
