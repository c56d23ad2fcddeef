// Turns our request into the prompt that the provider libraries take. What a provider cannot take back is left out.
import type {
  JSONValue,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type {
  AssistantPart,
  CallResult,
  ModelMessage,
  ModelRequest,
  Served,
  ToolSpec,
  UserPart,
} from '../model.ts';
import { callIdFor } from './callId.ts';
import { HandedPictures } from './handedPictures.ts';
import { unseal } from './seal.ts';
import type { Verbatim } from './verbatim.ts';
import type { Connection } from './wire.ts';

export interface PromptOptions {
  readonly connection: Connection;
  /** Marks where a provider may cache everything up to here. */
  readonly cacheMark?: (connection: Connection) => SharedV3ProviderOptions;
  /** Where the wire has a field of its own for what the model is told beforehand. */
  readonly system?: 'apart';
  /** Thoughts go back only with their seal, or as words within the running turn. */
  readonly thoughts: 'sealed' | 'words';
  /** What goes back in the wire's own words in place of a part; undefined where the library has words for it. */
  readonly raw?: (part: AssistantPart, among: Among) => readonly object[] | undefined;
  /** Takes in what goes back in the wire's own words. */
  readonly verbatim: Verbatim;
}

/** Who is asked, and what they may run themselves. */
export interface Among {
  readonly connection: Connection;
  readonly serves: readonly Served[];
}

export function promptOf(
  { system, messages, start, serves = [] }: ModelRequest,
  options: PromptOptions,
): LanguageModelV3Prompt {
  const handed = new HandedPictures(
    (part) => options.raw?.(part, { connection: options.connection, serves }) !== undefined,
  );
  const rest = messages.flatMap((message, at) =>
    handed
      .around(message)
      .flatMap((each) => messageOf(each, { ...options, serves, running: at >= start ? 'yes' : 'no' })),
  );
  const before: LanguageModelV3Prompt =
    options.system === 'apart' ? [] : [{ role: 'system', content: system }];
  return marked([...before, ...withoutNeighbours(rest)], options.cacheMark?.(options.connection));
}

/** Some providers want the user and the model to take turns, so what the user said twice in a row becomes one message. */
function withoutNeighbours(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const merged: LanguageModelV3Prompt = [];
  for (const message of prompt) {
    const last = merged.at(-1);
    if (last?.role === 'user' && message.role === 'user')
      merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] };
    else merged.push(message);
  }
  return merged;
}

export function toolsOf(tools: readonly ToolSpec[]): LanguageModelV3FunctionTool[] {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- the library takes its type of a schema from a package without types
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters,
  }));
}

/** The system prompt and the two newest messages of the user's side: the next request begins with all of that. */
function marked(
  prompt: LanguageModelV3Prompt,
  mark: SharedV3ProviderOptions | undefined,
): LanguageModelV3Prompt {
  if (!mark) return prompt;
  const ours = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : []));
  const places = new Set([0, ...ours.slice(-2)]);
  return prompt.map((message, at) => (places.has(at) ? { ...message, providerOptions: mark } : message));
}

interface Place extends PromptOptions, Among {
  readonly running: 'yes' | 'no';
}

function messageOf(message: ModelMessage, place: Place): readonly LanguageModelV3Message[] {
  switch (message.role) {
    case 'user': {
      const content = message.content.flatMap(userPart);
      return content.length === 0 ? [] : [{ role: 'user', content }];
    }
    case 'assistant': {
      const content = withoutLooseEnds(message.content.flatMap((part) => assistantPart(part, place))).map(
        (part) => betweenTags(part, place),
      );
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'tool':
      return message.results.length === 0
        ? []
        : [{ role: 'tool', content: message.results.map((result) => resultPart(result, place)) }];
    default:
      return message satisfies never;
  }
}

type UserContent = Extract<LanguageModelV3Message, { role: 'user' }>['content'];
type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type ToolContent = Extract<LanguageModelV3Message, { role: 'tool' }>['content'];

function userPart(part: UserPart): UserContent {
  if (part.type === 'image') return [{ type: 'file', mediaType: part.mediaType, data: part.data }];
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
}

function assistantPart(
  part: AssistantPart,
  { connection, thoughts, running, serves, raw, verbatim }: Place,
): AssistantContent {
  if (part.type === 'served' && isOff(part.name, serves)) return [];
  const blocks = raw?.(part, { connection, serves });
  if (blocks) return blocks.length === 0 ? [] : [{ type: 'text', text: verbatim.mark(blocks) }];
  if (part.type === 'served' || part.type === 'image') return [];
  const options = unseal(connection.provider, part.meta);
  const sealed: { readonly providerOptions?: SharedV3ProviderOptions } = options
    ? { providerOptions: options }
    : {};
  if (part.type === 'call') {
    return [
      {
        type: 'tool-call',
        toolCallId: callIdFor(part.id, connection.callId),
        toolName: part.name,
        input: part.input,
        ...sealed,
      },
    ];
  }
  if (part.type === 'text')
    return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...sealed }];
  const wanted = connection.reasoning === 'all' || (connection.reasoning === 'turn' && running === 'yes');
  const goesBack =
    thoughts === 'sealed'
      ? options !== undefined && connection.reasoning !== 'off'
      : wanted && part.text !== '';
  return goesBack ? [{ type: 'reasoning', text: part.text, ...sealed }] : [];
}

/** A thought that came between tags among the words goes back as it came. */
function betweenTags(
  part: AssistantContent[number],
  { connection: { thinkTags } }: Place,
): AssistantContent[number] {
  if (part.type !== 'reasoning' || part.providerOptions?.['chat']?.['thoughtTags'] === undefined) return part;
  return { type: 'text', text: `${thinkTags.start}${part.text}${thinkTags.end}\n` };
}

/** What a provider is not let do any more it need not hear of. */
function isOff(name: string, serves: readonly Served[]): boolean {
  return servable.some((each) => each === name) && !serves.some((each) => each === name);
}

const servable: readonly Served[] = ['web_search', 'image_generation'];

/** A thought that led to nothing, because the answer was stopped there, is refused by those who check. */
function withoutLooseEnds(content: AssistantContent): AssistantContent {
  const last = content.findLastIndex(({ type }) => type !== 'reasoning');
  return content.slice(0, last + 1);
}

function resultPart({ id, name, status, text }: CallResult, { connection }: Place): ToolContent[number] {
  const value: JSONValue & string = text === '' ? 'Nothing.' : text;
  return {
    type: 'tool-result',
    toolCallId: callIdFor(id, connection.callId),
    toolName: name,
    output: { type: status === 'done' ? 'text' : 'error-text', value },
  };
}
