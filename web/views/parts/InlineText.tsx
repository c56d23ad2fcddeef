// A short text from the host: plain, or one line of markdown.
import { useMemo } from 'preact/hooks';
import type { StringOrMarkdown } from '../../../src/protocols/ahp/v1_0/content.ts';
import { inlineHtml } from '../../text/markdown.ts';

export function InlineText({ text }: { readonly text: StringOrMarkdown }) {
  return typeof text === 'string' ? <>{text}</> : <InlineMarkdown markdown={text.markdown} />;
}

export function rawText(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}

function InlineMarkdown({ markdown }: { readonly markdown: string }) {
  const __html = useMemo(() => inlineHtml(markdown), [markdown]);
  return <span class="inline" dangerouslySetInnerHTML={{ __html }} />;
}
