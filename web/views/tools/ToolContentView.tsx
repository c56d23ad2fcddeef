// One piece of what a tool gave back or is giving back.
import { lazy } from '../parts/lazy.tsx';
import type { ToolResultContent } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { FileEditView } from '../diff/FileEditView.tsx';
import { ContentRefView } from '../parts/ContentRefView.tsx';
import { isPicture, Picture } from '../parts/Picture.tsx';
import { Plain } from '../parts/Plain.tsx';
import { decodeText } from '../../state/resources.ts';
import { TerminalContent } from './TerminalContent.tsx';

/** A sub-agent's chat holds tools again, so it is loaded when it is met. */
const SubAgent = lazy(async () => (await import('./SubAgent.tsx')).SubAgent);

interface ToolContentProps {
  readonly content: ToolResultContent;
  readonly label: string;
}

export function ToolContentView({ content, label }: ToolContentProps) {
  switch (content.type) {
    case 'text':
      return <Plain text={content.text} label={`${label}, output`} />;
    case 'embeddedResource':
      return <Embedded content={content} label={label} />;
    case 'resource':
      return isPage(content.uri) ? <PageLink uri={content.uri} /> : <ContentRefView content={content} />;
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

/** A page of the web is the reader's to open; nothing is fetched from it here. */
function isPage(uri: string): boolean {
  return /^https?:\/\//i.test(uri);
}

function PageLink({ uri }: { readonly uri: string }) {
  return (
    <p class="hint">
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
    return <Plain text={decodeText(data)} label={`${label}, ${contentType}`} />;
  return <p class="hint">Content of type {contentType}.</p>;
}

/** From a later version of the protocol; better shown raw than not at all. */
function Unknown({ content }: { readonly content: never }) {
  return <Plain text={JSON.stringify(content, null, 2)} label="Content" />;
}
