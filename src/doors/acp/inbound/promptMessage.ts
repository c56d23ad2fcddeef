// Converts an ACP prompt to a user message. Pure.
import type { Attachment, UserMessage } from '../../../model/event.ts';
import type { PromptParams } from '../../../protocols/acp/v1/agentSchema.ts';
import type { ReadContentBlock } from '../../../protocols/acp/v1/contentSchema.ts';
import { invalidParams } from '../errors.ts';
import { readExtensions } from './extensions.ts';
import { baseName, readFileUri } from '../../../base/fileUri.ts';

/** Throws an error for the client on a content block that is not supported. */
export function readPrompt(params: PromptParams, id: string): UserMessage {
  const { prompt } = params;
  const text = proseOf(prompt);
  const attachments = prompt.flatMap((block) => (block.type === 'text' ? [] : [attachmentOf(block)]));
  if (text.trim() === '' && attachments.length === 0) throw invalidParams('The prompt is empty.');
  const extensions = readExtensions(params);
  return {
    id,
    text,
    ...(attachments.length > 0 && { attachments }),
    ...(extensions && { extensions }),
  };
}

/**
 * The text of a prompt. Attachments are stored separately, so a link inside the text leaves its name there:
 * "compare [@a.ts](file:///w/a.ts) with ..." would not make sense without it.
 */
function proseOf(prompt: PromptParams['prompt']): string {
  const last = prompt.findLastIndex(({ type }) => type === 'text');
  let prose = '';
  let afterText = false;
  for (const block of prompt.slice(0, last + 1)) {
    if (block.type === 'text') {
      if (afterText && !prose.endsWith('\n')) prose += '\n';
      prose += block.text;
    } else if (block.type === 'resource_link') prose += `[@${block.name}](${block.uri})`;
    else if (block.type === 'resource') prose += `[@${baseName(block.resource.uri)}](${block.resource.uri})`;
    afterText = block.type === 'text';
  }
  return prose;
}

function attachmentOf(block: Exclude<ReadContentBlock, { readonly type: 'text' }>): Attachment {
  switch (block.type) {
    case 'image':
    case 'audio':
      return { type: block.type, mediaType: block.mimeType, data: block.data };
    case 'resource_link':
      return linkOf(block);
    case 'resource':
      return resourceOf(block.resource);
    default:
      return block satisfies never;
  }
}

function linkOf({
  uri,
  name,
  mimeType,
}: {
  uri: string;
  name: string;
  mimeType?: string | undefined;
}): Attachment {
  const file = readFileUri(uri);
  if (!file) return { type: 'link', uri, name, ...(mimeType !== undefined && { mediaType: mimeType }) };
  return file.path.length > 1 && file.path.endsWith('/')
    ? { type: 'directory', path: file.path.slice(0, -1) }
    : { type: 'file', ...file };
}

function resourceOf(
  resource: Extract<ReadContentBlock, { readonly type: 'resource' }>['resource'],
): Attachment {
  if ('text' in resource)
    return { type: 'text', label: baseName(resource.uri), text: resource.text, uri: resource.uri };
  const media = /^(image|audio)\//.exec(resource.mimeType ?? '')?.[1];
  if (media === 'image' || media === 'audio')
    return { type: media, mediaType: resource.mimeType ?? '', data: resource.blob };
  if (isTextual(resource.mimeType))
    return {
      type: 'text',
      label: baseName(resource.uri),
      text: Buffer.from(resource.blob, 'base64').toString(),
      uri: resource.uri,
    };
  // The agent can read files on this machine itself.
  if (readFileUri(resource.uri))
    return linkOf({ uri: resource.uri, name: baseName(resource.uri), mimeType: resource.mimeType });
  throw invalidParams(
    `This agent does not support ${resource.mimeType ?? 'binary data'} as an embedded resource; ` +
      'link to it instead.',
    { uri: resource.uri },
  );
}

function isTextual(mimeType: string | undefined): boolean {
  return (
    mimeType !== undefined &&
    (mimeType.startsWith('text/') ||
      /^application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript)\b/.test(mimeType))
  );
}
