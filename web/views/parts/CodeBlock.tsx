// A code block with its language and a copy button; highlighted, or drawn, once it is complete.
import { useEffect, useState } from 'preact/hooks';
import { DiagramBlock } from '../../diagram/DiagramBlock.tsx';
import { highlightCode } from '../../text/highlight.ts';
import { CopyButton } from './CopyButton.tsx';

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  readonly settled: boolean;
}

export function CodeBlock({ code, language, settled }: CodeBlockProps) {
  if (settled && language.toLowerCase() === 'mermaid') return <DiagramBlock code={code} />;
  return <PlainCode code={code} language={language} settled={settled} />;
}

function PlainCode({ code, language, settled }: CodeBlockProps) {
  const html = useHighlighted(code, settled ? language : '');
  return (
    <figure class="frame code-block" dir="ltr">
      <figcaption class="frame-head">
        <span>{language || 'text'}</span>
        <span class="end">
          <CopyButton text={code} what="code" />
        </span>
      </figcaption>
      <pre class="code" tabIndex={0} aria-label={`${language || 'Text'} code`}>
        {html === undefined ? <code>{code}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}
      </pre>
    </figure>
  );
}

function useHighlighted(code: string, language: string): string | undefined {
  const [result, setResult] = useState<{ readonly code: string; readonly html: string | undefined }>();
  useEffect(() => {
    let current = true;
    void highlightCode(code, language).then((html) => current && setResult({ code, html }));
    return () => {
      current = false;
    };
  }, [code, language]);
  return result?.code === code ? result.html : undefined;
}
