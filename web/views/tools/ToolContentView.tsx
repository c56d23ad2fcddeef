// One piece of a tool's output.
import { useContext } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import { ReadTrackingContext } from '../../state/readTracking.ts';
import { FullText } from '../ask/FullText.tsx';
import { lazy } from '../parts/lazy.tsx';
import type { ToolResultContent } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { FileEditView } from '../diff/FileEditView.tsx';
import { ContentRefView } from '../parts/ContentRefView.tsx';
import { isPicture, Picture } from '../parts/Picture.tsx';
import { PlainText } from '../parts/PlainText.tsx';
import { decodeText } from '../../state/resources.ts';
import { TerminalContent } from './TerminalContent.tsx';

/**
 * Loaded lazily, because the chat of a sub-agent contains tool calls again: the modules import each other.
 */
const SubAgent = lazy(async () => (await import('./SubAgent.tsx')).SubAgent);
export const SubAgentChat = lazy(async () => (await import('./SubAgent.tsx')).SubAgentChat);

interface ToolContentProps {
  readonly content: ToolResultContent;
  readonly label: string;
}

export function ToolContentView({ content, label }: ToolContentProps) {
  switch (content.type) {
    case 'text':
      return <OutputText text={content.text} label={`${label}, output`} />;
    case 'embeddedResource':
      return <Embedded content={content} label={label} />;
    case 'resource':
      return isWebPage(content.uri) ? <PageLink uri={content.uri} /> : <ContentRefView content={content} />;
    case 'fileEdit':
      return <FileEditView edit={content} unfolded />;
    case 'terminal':
      return <TerminalContent content={content} />;
    case 'subagent':
      return <SubAgent chat={content.resource} title={content.title} description={content.description} />;
    default:
      return <Unknown content={content} />;
  }
}

/** Where somebody decides about the output, all of it is shown. */
function OutputText({ text, label }: { readonly text: string; readonly label: string }) {
  return useContext(ReadTrackingContext) ? (
    <FullText text={visibleText(text)} label={label} />
  ) : (
    <PlainText text={text} label={label} />
  );
}

/** A web page becomes a link; the console fetches nothing from it. */
function isWebPage(uri: string): boolean {
  return /^https?:\/\//i.test(uri);
}

function PageLink({ uri }: { readonly uri: string }) {
  return (
    <p class="note">
      <a href={uri} target="_blank" rel="noopener noreferrer">
        {uri}
      </a>
    </p>
  );
}

function Embedded({
  content,
  label,
}: {
  readonly content: Extract<ToolResultContent, { type: 'embeddedResource' }>;
  readonly label: string;
}) {
  const { data, contentType } = content;
  if (isPicture(contentType))
    return <Picture base64={data} contentType={contentType} label={`${label}, picture`} />;
  if (/^text\/|json|xml/.test(contentType))
    return <PlainText text={decodeText(data)} label={`${label}, ${contentType}`} />;
  return <p class="note">Content of type {contentType}.</p>;
}

/** Content of a newer protocol version is shown as JSON. */
function Unknown({ content }: { readonly content: never }) {
  return <PlainText text={JSON.stringify(content, null, 2)} label="Content" />;
}
