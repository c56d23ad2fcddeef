// Selects the messages and parts that are sent to a provider, without those that it cannot accept.
// Knows no wire format.
import type { Json } from '../../../../../model/event.ts';
import type { AssistantPart, ModelMessage, ModelRequest, Served, UserPart } from '../../../model.ts';
import type { ModelConnection } from '../wire.ts';
import { callIdFor } from './callId.ts';
import { HandedPictures } from './handedPictures.ts';
import { unseal } from './seal.ts';
import type { Sealed } from './seal.ts';

export type SentMessage =
  | { readonly role: 'user'; readonly content: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly content: readonly SentPart[] }
  | { readonly role: 'tool'; readonly results: readonly SentResult[] };

/** `seal` is the metadata that this provider expects back with the part. */
export type SentPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string; readonly seal: Sealed }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: Json;
      readonly seal: Sealed;
    }
  /** Blocks of the wire format itself. */
  | { readonly type: 'blocks'; readonly blocks: readonly object[] };

export interface SentResult {
  readonly id: string;
  readonly name: string;
  readonly failed: boolean;
  readonly text: string;
}

export interface Rules {
  /** Whether reasoning is sent back only with provider metadata, or as plain text. */
  readonly reasoning: 'sealed' | 'text';
  /** The wire's own blocks for a part; undefined if the part needs none. */
  readonly blocks?: (part: AssistantPart) => readonly object[] | undefined;
}

export function conversation(
  request: ModelRequest,
  connection: ModelConnection,
  rules: Rules,
): readonly SentMessage[] {
  const { messages, start, serves = [] } = request;
  const handed = new HandedPictures((part) => rules.blocks?.(part) !== undefined);
  const earlier: MessageContext = { ...rules, connection, serves, running: false };
  const running: MessageContext = { ...earlier, running: true };
  const sent: SentMessage[] = [];
  for (const [at, message] of messages.entries())
    for (const each of handed.around(message))
      addSent(sent, sentMessage(each, at < start ? earlier : running));
  return sent;
}

/** Some providers require alternating roles, so adjacent user messages are merged. */
function addSent(sent: SentMessage[], message: SentMessage | undefined): void {
  const last = sent.at(-1);
  if (!message) return;
  if (last?.role !== 'user' || message.role !== 'user') sent.push(message);
  else sent[sent.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
}

interface MessageContext extends Rules {
  readonly connection: ModelConnection;
  readonly serves: readonly Served[];
  /** Whether the message belongs to the running turn. */
  readonly running: boolean;
}

function sentMessage(message: ModelMessage, place: MessageContext): SentMessage | undefined {
  switch (message.role) {
    case 'user': {
      const content = message.content.filter((part) => part.type === 'image' || part.text.trim() !== '');
      return content.length === 0 ? undefined : { role: 'user', content };
    }
    case 'assistant': {
      const content = sentParts(message.content, place);
      return content.length === 0 ? undefined : { role: 'assistant', content };
    }
    case 'tool': {
      const results = message.results.map(({ id, name, status, text }) => ({
        id: callIdFor(id, place.connection.conventions.callId),
        name,
        failed: status !== 'done',
        text: text === '' ? 'Nothing.' : text,
      }));
      return results.length === 0 ? undefined : { role: 'tool', results };
    }
    default:
      return message satisfies never;
  }
}

/** Drops reasoning at the end of a stopped answer, since some providers refuse it. */
function sentParts(parts: readonly AssistantPart[], place: MessageContext): readonly SentPart[] {
  const sent: SentPart[] = [];
  let end = 0;
  for (const part of parts) {
    const made = sentPart(part, place);
    if (made) sent.push(betweenTags(made, place.connection));
    if (made && made.type !== 'reasoning') end = sent.length;
  }
  sent.length = end;
  return sent;
}

function sentPart(part: AssistantPart, place: MessageContext): SentPart | undefined {
  if (part.type === 'served' && isOff(part.name, place.serves)) return undefined;
  const blocks = place.blocks?.(part);
  if (blocks) return blocks.length === 0 ? undefined : { type: 'blocks', blocks };
  if (part.type === 'served' || part.type === 'image') return undefined;
  const { connection } = place;
  const seal = unseal(connection.provider, part.meta);
  if (part.type === 'call') {
    const { name, input } = part;
    return { type: 'call', id: callIdFor(part.id, connection.conventions.callId), name, input, seal };
  }
  const goesBack =
    part.type === 'text' ? part.text.trim() !== '' : goesBackAsReasoning(part.text, seal, place);
  return goesBack ? { type: part.type, text: part.text, seal } : undefined;
}

function goesBackAsReasoning(
  text: string,
  seal: Sealed,
  { connection, reasoning, running }: MessageContext,
): boolean {
  if (reasoning === 'sealed') return seal !== undefined && connection.conventions.reasoning !== 'off';
  return (
    text !== '' &&
    (connection.conventions.reasoning === 'all' || (connection.conventions.reasoning === 'turn' && running))
  );
}

/** Reasoning that arrived between tags is sent back between the same tags. */
function betweenTags(part: SentPart, { conventions: { thinkTags } }: ModelConnection): SentPart {
  if (part.type !== 'reasoning' || part.seal?.['chat']?.['thoughtTags'] === undefined) return part;
  return { type: 'text', text: `${thinkTags.start}${part.text}${thinkTags.end}\n`, seal: undefined };
}

/** Tools that the user has disabled in the meantime are left out. */
function isOff(name: string, serves: readonly Served[]): boolean {
  return servable.some((each) => each === name) && !serves.some((each) => each === name);
}

const servable: readonly Served[] = ['web_search', 'image_generation'];
