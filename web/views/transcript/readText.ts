// Turns markdown into the text that a reader sees, for programs that show no markdown: without marks and
// entities, with the indentation of code and lists.
import { createSplitter } from '../../text/blocks.ts';
import { growingHtml } from '../../text/markdown.ts';

export function spokenText(markdown: string): string {
  const box = document.createElement('template');
  box.innerHTML = growingHtml(createSplitter()(markdown).map(({ token }) => token));
  return blocksOf(box.content, '\n\n');
}

const blocks = /^(?:BLOCKQUOTE|DETAILS|H\d|HR|OL|P|PRE|SUMMARY|TABLE|UL)$/;

/** Blocks stand apart; what is between them is running text. */
function blocksOf(parent: Node, gap: string): string {
  const texts: string[] = [];
  let running = '';
  const end = () => {
    if (running.trim() !== '') texts.push(running.trim());
    running = '';
  };
  for (const node of parent.childNodes) {
    if (!blocks.test(node.nodeName)) {
      running += runningText(node);
      continue;
    }
    end();
    const text = blockText(node);
    if (text !== '') texts.push(text);
  }
  end();
  return texts.join(gap);
}

function blockText(node: Node): string {
  if (node.nodeName === 'PRE') return (node.textContent ?? '').replace(/\n$/, '');
  if (node.nodeName === 'UL' || node.nodeName === 'OL') return listText(node);
  if (node instanceof HTMLTableElement)
    return [...node.rows]
      .map(({ cells }) => [...cells].map((cell) => blocksOf(cell, ' ')).join('\t'))
      .join('\n');
  return blocksOf(node, '\n\n');
}

function listText(list: Node): string {
  const first = list instanceof HTMLOListElement ? list.start : undefined;
  const items = [...list.childNodes].filter(({ nodeName }) => nodeName === 'LI');
  return items
    .map((item, index) => {
      const mark = first === undefined ? '- ' : `${first + index}. `;
      return mark + blocksOf(item, '\n').replaceAll('\n', `\n${' '.repeat(mark.length)}`);
    })
    .join('\n');
}

/** Line breaks of the source are blanks, as on the page. */
function runningText(node: Node): string {
  if (node instanceof Text) return node.data.replaceAll(/\s*\n\s*/g, ' ');
  if (node.nodeName === 'BR') return '\n';
  if (node instanceof HTMLInputElement) return node.checked ? '[x]' : '[ ]';
  if (node instanceof HTMLImageElement) return node.alt;
  return [...node.childNodes].map(runningText).join('');
}
