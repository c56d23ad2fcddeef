// Markdown, block by block. While it streams, only the last block is rendered again; screen readers
// hear finished blocks.
import { useContext, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { showDiagrams } from '../../diagram/showDiagrams.tsx';
import { announce } from '../../state/toasts.ts';
import { createSplitter, joinBlocks } from '../../text/blocks.ts';
import type { Block } from '../../text/blocks.ts';
import { linkFootnotes } from '../../text/footnoteLinks.ts';
import { highlightCode } from '../../text/highlight.ts';
import { blocksHtml, growingHtml } from '../../text/markdown.ts';
import { showMaths } from '../../text/maths/showMaths.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { WatcherContext } from './LazyBlock.tsx';
import { memo } from './memo.tsx';

interface MarkdownProps {
  readonly text: string;
  readonly live?: boolean;
}

export const Markdown = memo(function Markdown({ text, live = false }: MarkdownProps) {
  const split = useMemo(createSplitter, []);
  // Text that streamed in stays split into single blocks, or a selection in it would be lost at the end.
  const hasStreamed = useRef(live);
  const blocks = split(text);
  useAnnouncedBlocks(blocks, live);
  const groups = hasStreamed.current ? blocks.map((block) => [block]) : joinBlocks(blocks);
  return (
    <div class="prose" dir="auto" aria-busy={live}>
      {groups.map((group, index) => (
        <BlockView key={index} blocks={group} settled={!live || index < groups.length - 1} />
      ))}
    </div>
  );
});

interface BlockProps {
  readonly blocks: readonly Block[];
  readonly settled: boolean;
}

/** Blocks are compared by their text, because the last ones are parsed again with each delta. */
const BlockView = memo(
  function BlockView({ blocks, settled }: BlockProps) {
    const token = blocks[0]?.token;
    if (token?.type === 'code')
      return (
        <CodeBlock code={String(token['text'])} language={languageIn(token['lang'])} settled={settled} />
      );
    const html = settled
      ? blocksHtml(
          rawOf(blocks),
          blocks.map((block) => block.token),
        )
      : growingHtml(blocks.map((block) => block.token));
    return <HtmlBlock html={html} settled={settled} />;
  },
  (before, after) => before.settled === after.settled && rawOf(before.blocks) === rawOf(after.blocks),
);

function rawOf(blocks: readonly Block[]): string {
  return blocks.length === 1 ? (blocks[0]?.raw ?? '') : blocks.map(({ raw }) => raw).join('');
}

function HtmlBlock({ html: __html, settled }: { readonly html: string; readonly settled: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  const watcher = useContext(WatcherContext);
  useLayoutEffect(() => {
    if (!settled || !root.current) return;
    showMaths(root.current);
    linkFootnotes(root.current);
  }, [__html, settled]);
  useLayoutEffect(
    () => (settled && root.current ? showDiagrams(root.current, watcher) : undefined),
    [__html, settled, watcher],
  );
  useEffect(() => {
    if (settled && root.current) highlightWithin(root.current);
  }, [__html, settled]);
  return <div ref={root} dir="auto" dangerouslySetInnerHTML={{ __html }} />;
}

/** Code inside lists and quotes is part of a larger block, so it is highlighted in place. */
function highlightWithin(root: HTMLElement): void {
  for (const code of root.querySelectorAll<HTMLElement>('pre > code[class^="language-"]')) {
    const language = code.className.replace('language-', '');
    void highlightElement(code, language);
  }
}

async function highlightElement(code: HTMLElement, language: string): Promise<void> {
  const html = await highlightCode(code.textContent ?? '', language);
  if (html !== undefined) code.innerHTML = html;
}

function languageIn(info: unknown): string {
  return typeof info === 'string' ? (info.split(/\s/, 1)[0] ?? '') : '';
}

/** Announces each block to screen readers once it is complete. */
function useAnnouncedBlocks(blocks: readonly Block[], live: boolean): void {
  const announced = useRef(live ? Math.max(0, blocks.length - 1) : blocks.length);
  const complete = live ? blocks.length - 1 : blocks.length;
  useEffect(() => {
    if (complete <= announced.current) return;
    const fresh = blocks
      .slice(announced.current, complete)
      .map(({ token, raw }) => (token.type === 'code' ? 'Code block.' : raw));
    announced.current = complete;
    announce(fresh.join(' '));
  }, [complete]);
}
