// An answer in markdown, block by block. While it streams, only the last block is drawn again; finished ones are read out.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { announce } from '../../state/toasts.ts';
import { createSplitter } from '../../text/blocks.ts';
import type { Block } from '../../text/blocks.ts';
import { highlighted } from '../../text/highlight.ts';
import { blockHtml } from '../../text/markdown.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { memo } from './memo.tsx';

interface MarkdownProps {
  readonly text: string;
  readonly live?: boolean;
}

export const Markdown = memo(function Markdown({ text, live = false }: MarkdownProps) {
  const split = useMemo(createSplitter, []);
  const blocks = split(text);
  useAnnounced(blocks, live);
  return (
    <div class="prose" aria-busy={live}>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} settled={!live || index < blocks.length - 1} />
      ))}
    </div>
  );
});

interface BlockProps {
  readonly block: Block;
  readonly settled: boolean;
}

/** Blocks are compared by their text: the last one is read anew with each delta of the ones after it. */
const BlockView = memo(
  function BlockView({ block: { token }, settled }: BlockProps) {
    if (token.type === 'code') return <CodeBlock code={String(token['text'])} language={languageIn(token['lang'])} settled={settled} />;
    return <HtmlBlock html={blockHtml(token)} settled={settled} />;
  },
  (before, after) => before.block.raw === after.block.raw && before.settled === after.settled,
);

function HtmlBlock({ html: __html, settled }: { readonly html: string; readonly settled: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (settled && root.current) highlightWithin(root.current);
  }, [__html, settled]);
  return <div ref={root} dangerouslySetInnerHTML={{ __html }} />;
}

/** Code inside lists and quotes is part of a larger block, so it is coloured in place. */
function highlightWithin(root: HTMLElement): void {
  for (const code of root.querySelectorAll<HTMLElement>('pre > code[class^="language-"]')) {
    const language = code.className.replace('language-', '');
    void colour(code, language);
  }
}

async function colour(code: HTMLElement, language: string): Promise<void> {
  const html = await highlighted(code.textContent ?? '', language);
  if (html !== undefined) code.innerHTML = html;
}

function languageIn(info: unknown): string {
  return typeof info === 'string' ? (info.split(/\s/, 1)[0] ?? '') : '';
}

/** A screen reader hears each block once it is complete, not every word as it comes. */
function useAnnounced(blocks: readonly Block[], live: boolean): void {
  const told = useRef(live ? Math.max(0, blocks.length - 1) : blocks.length);
  const complete = live ? blocks.length - 1 : blocks.length;
  useEffect(() => {
    if (complete <= told.current) return;
    const fresh = blocks.slice(told.current, complete).map(({ token, raw }) => (token.type === 'code' ? 'Code block.' : raw));
    told.current = complete;
    announce(fresh.join(' '));
  }, [complete]);
}
