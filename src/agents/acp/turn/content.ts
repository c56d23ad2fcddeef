// Converts content blocks of agents for the log: Markdown for answers, content for tool calls. Pure.
import type { Content } from '../../../model/event.ts';
import type { ReadContentBlock } from '../../../protocols/acp/v1/contentSchema.ts';
import type { ReadToolContent, UnknownContent } from '../../../protocols/acp/v1/toolCallSchema.ts';

/** Converts an answer block to Markdown; binary content becomes a data link. */
export function markdownOf(block: ReadContentBlock | UnknownContent): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return `![image](${block.uri ?? dataUri(block)})`;
    case 'audio':
      return `[audio](${dataUri(block)})`;
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})`;
    case 'resource':
      return 'text' in block.resource
        ? fenced(block.resource.text, block.resource.uri)
        : `[${block.resource.uri}](${dataUri({ data: block.resource.blob, mimeType: block.resource.mimeType ?? 'application/octet-stream' })})`;
    case 'unknown':
      return unknownText(block);
    default:
      return block satisfies never;
  }
}

/** The title of a terminal and its output so far. What an agent runs itself is no terminal of ours. */
export type TerminalLookup = (
  terminal: string,
) => { readonly title: string; readonly output: string; readonly isAgents?: true } | undefined;

/** The content of a running call; terminals show their output themselves. */
export function runningContent(
  items: readonly ReadToolContent[],
  terminal: TerminalLookup,
): readonly Content[] {
  return items.flatMap((item) => contentOf(item, terminal));
}

/** The content of a call that is over: a terminal's output belongs to it for good. */
export function finalContent(
  items: readonly ReadToolContent[],
  terminal: TerminalLookup,
): readonly Content[] {
  return items.flatMap((item) => {
    const output = item.type === 'terminal' ? (terminal(item.terminalId)?.output ?? '') : '';
    return [...contentOf(item, terminal), ...(output === '' ? [] : [text(fenced(output))])];
  });
}

/** What a failed call says about itself. */
export function errorOf(items: readonly ReadToolContent[], rawOutput: unknown): string {
  const said = typeof rawOutput === 'string' ? rawOutput : messageIn(rawOutput);
  const first = items.flatMap((item) =>
    item.type === 'content' && item.content.type === 'text' ? [item.content.text] : [],
  )[0];
  return (said ?? first ?? '').trim().slice(0, errorLimit) || 'The call failed.';
}

const errorLimit = 2_000;

function messageIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of ['error', 'message', 'stderr']) {
    const found: unknown = Reflect.get(value, key);
    if (typeof found === 'string' && found !== '') return found;
  }
  return undefined;
}

function contentOf(item: ReadToolContent, terminal: TerminalLookup): readonly Content[] {
  switch (item.type) {
    case 'content':
      return blockContent(item.content);
    case 'diff':
      return [{ type: 'edit', path: item.path, before: item.oldText ?? null, after: item.newText }];
    case 'terminal':
      return terminalContent(item.terminalId, terminal(item.terminalId));
    case 'unknown':
      return [text(unknownText(item))];
    default:
      return item satisfies never;
  }
}

/** An unknown terminal may be one of an earlier life of the agent. */
function terminalContent(terminal: string, known: ReturnType<TerminalLookup>): readonly Content[] {
  return known?.isAgents ? [] : [{ type: 'terminal', terminal, title: known?.title ?? 'Terminal' }];
}

function blockContent(block: ReadContentBlock): readonly Content[] {
  switch (block.type) {
    case 'text':
      return [text(block.text)];
    case 'image':
      return [{ type: 'image', mediaType: block.mimeType, data: block.data }];
    case 'audio':
      return [{ type: 'blob', mediaType: block.mimeType, data: block.data }];
    case 'resource_link':
      return [link(block.uri, block.title ?? block.name, block.mimeType)];
    case 'resource':
      return resourceContent(block.resource);
    default:
      return block satisfies never;
  }
}

function resourceContent(
  resource: Extract<ReadContentBlock, { readonly type: 'resource' }>['resource'],
): readonly Content[] {
  const { uri, mimeType } = resource;
  if ('text' in resource) return [link(uri, undefined, mimeType), text(resource.text)];
  if (mimeType?.startsWith('image/'))
    return [link(uri, undefined, mimeType), { type: 'image', mediaType: mimeType, data: resource.blob }];
  return [
    link(uri, undefined, mimeType),
    { type: 'blob', mediaType: mimeType ?? 'application/octet-stream', data: resource.blob },
  ];
}

function link(uri: string, name: string | undefined, mediaType: string | undefined): Content {
  return {
    type: 'link',
    uri,
    ...(name === undefined ? {} : { name }),
    ...(mediaType === undefined ? {} : { mediaType }),
  };
}

function text(words: string): Content {
  return { type: 'text', text: words };
}

/** Content of a newer specification, for people to read. */
function unknownText({ raw }: UnknownContent): string {
  return fenced(JSON.stringify(raw, null, 2), 'unknown content');
}

function dataUri({ data, mimeType }: { readonly data: string; readonly mimeType: string }): string {
  return `data:${mimeType};base64,${data}`;
}

/** A fence longer than any inside it. */
function fenced(words: string, label = ''): string {
  const longest = Math.max(2, ...[...words.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${label === '' ? '' : `\n${label}:\n`}${fence}\n${words.replace(/\n$/, '')}\n${fence}`;
}
