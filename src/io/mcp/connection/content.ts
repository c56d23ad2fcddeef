// Converts server results, prompts, resources and tools to our types, within size limits.
import { createHash } from 'node:crypto';
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client';
import { isRecord } from '../../../base/isRecord.ts';
import { withoutHidden, withoutTags } from '../../../host/policy/hiddenText.ts';
import type {
  PromptMessage,
  ServerPrompt,
  ServerResource,
  ServerResult,
  ServerTool,
} from '../../../host/tools/toolServers.ts';
import type { Content, Json } from '../../../model/event.ts';

/** How many characters of text, and of images in base64, one result may add to the log. */
const textLimit = 200_000;
const imageLimit = 5_000_000;

/** How many parts one result may have. */
const mostParts = 1_000;

/** How many items of one list, and how many characters of them, are taken from a server. */
const mostListed = 1_000;
const listLimit = 1_000_000;

/** Every model request carries the descriptions. */
const descriptionLimit = 10_000;

/** The items that fit: every client and every model request gets the whole list. */
export function listed<T, U>(items: readonly T[], convert: (item: T) => U): readonly U[] {
  let room = listLimit;
  return items.slice(0, mostListed).flatMap((item) => {
    const converted = convert(item);
    const size = JSON.stringify(converted).length;
    if (size > room) return [];
    room -= size;
    return [converted];
  });
}

export function serverResult(result: CallToolResult): ServerResult {
  const blocks =
    result.content.length > 0 || result.structuredContent === undefined
      ? result.content
      : [structured(result.structuredContent)];
  const content = withinLimits(blocks.map(contentOf));
  if (!result.isError) return { status: 'done', content };
  const text = content.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n');
  return { status: 'failed', content, error: text || 'The tool failed without a message.' };
}

export function messagesOf({ messages }: GetPromptResult): readonly PromptMessage[] {
  const contents = withinLimits(messages.map(({ content }) => contentOf(content)));
  return messages.flatMap(({ role }, at) => {
    const content = contents[at];
    return content ? [{ role, content }] : [];
  });
}

/** Data that is neither text nor an image is only named. */
export function readOf({ contents }: ReadResourceResult): readonly Content[] {
  return withinLimits(
    contents.map((part): Content => {
      if ('text' in part) return { type: 'text', text: part.text };
      if (part.mimeType?.startsWith('image/'))
        return { type: 'image', mediaType: part.mimeType, data: part.blob };
      return {
        type: 'text',
        text: `[${part.uri} holds data (${part.mimeType ?? 'unknown kind'}) that cannot be shown.]`,
      };
    }),
  );
}

export function serverTool({ name, title, description, inputSchema, annotations }: Tool): ServerTool {
  const shown = title ?? annotations?.title;
  const plain = {
    name,
    description: (description ?? '').slice(0, descriptionLimit),
    parameters: asJson(inputSchema),
    ...(shown === undefined ? {} : { title: shown }),
  };
  const definition = createHash('sha256')
    .update(orderedJson([plain.description, plain.parameters]))
    .digest('hex')
    .slice(0, 32);
  return {
    ...plain,
    description: withoutHidden(plain.description),
    parameters: readable(plain.parameters),
    ...(shown === undefined ? {} : { title: withoutHidden(shown) }),
    definition,
  };
}

/**
 * Removes hidden characters from texts for the model; names and values must stay as the server knows them.
 */
function readable(schema: Json, key?: string): Json {
  if (typeof schema === 'string')
    return key === 'description' || key === 'title' ? withoutHidden(schema) : withoutTags(schema);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((each: Json) => readable(each));
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, readable(value, name)]));
}

/** The same text for any order of members: some servers shuffle them at every start. */
function orderedJson(value: Json): string {
  return JSON.stringify(value, (_, member: Json) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

export function promptOf({ name, description, arguments: places }: Prompt): ServerPrompt {
  return {
    name,
    ...described(description),
    arguments: (places ?? []).map((place) => ({
      name: place.name,
      required: place.required ?? false,
      ...described(place.description),
    })),
  };
}

export function resourceOf({ uri, name, description, mimeType }: Resource): ServerResource {
  return { uri, name, ...described(description), ...(mimeType === undefined ? {} : { mediaType: mimeType }) };
}

export function templateOf({ uriTemplate, ...rest }: ResourceTemplateType): ServerResource {
  return resourceOf({ ...rest, uri: uriTemplate });
}

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined
    ? {}
    : { description: withoutHidden(description.slice(0, descriptionLimit)) };
}

function structured(value: unknown): ContentBlock {
  return { type: 'text', text: JSON.stringify(value) };
}

function contentOf(block: ContentBlock): Content {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', mediaType: block.mimeType, data: block.data };
    case 'audio':
      return { type: 'text', text: `[An audio recording (${block.mimeType}) that cannot be heard here.]` };
    case 'resource_link':
      return {
        type: 'link',
        uri: block.uri,
        name: block.name,
        ...(block.mimeType === undefined ? {} : { mediaType: block.mimeType }),
      };
    case 'resource':
      return 'text' in block.resource
        ? { type: 'text', text: `${block.resource.uri}:\n${block.resource.text}` }
        : {
            type: 'link',
            uri: block.resource.uri,
            ...(block.resource.mimeType === undefined ? {} : { mediaType: block.resource.mimeType }),
          };
    default:
      return block satisfies never;
  }
}

/** Keeps blocks in order up to the limits, and marks what is cut. */
function withinLimits(blocks: readonly Content[]): readonly Content[] {
  let text = textLimit;
  let images = imageLimit;
  const parts = blocks.slice(0, mostParts).map((block): Content => {
    if (block.type === 'image') {
      images -= block.data.length + block.mediaType.length;
      return images >= 0 ? block : { type: 'text', text: '[A picture that is too large was left out.]' };
    }
    if (block.type === 'link') {
      text -= JSON.stringify(block).length;
      return text >= 0 ? block : { type: 'text', text: '[A link that is too large was left out.]' };
    }
    if (block.type !== 'text') return block;
    const kept = block.text.slice(0, Math.max(0, text));
    text -= block.text.length;
    return kept.length === block.text.length
      ? block
      : {
          type: 'text',
          text: `${kept}\n[OUTPUT TRUNCATED] ${block.text.length - kept.length} characters were left out here.`,
        };
  });
  return blocks.length > mostParts
    ? [
        ...parts,
        { type: 'text', text: `[OUTPUT TRUNCATED] All parts after the first ${mostParts} were left out.` },
      ]
    : parts;
}

function asJson(value: unknown): Json {
  return parseJson(JSON.stringify(value));
}

const parseJson: (text: string) => Json = JSON.parse;
