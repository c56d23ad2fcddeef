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
  const sent = messages.flatMap((message, at) =>
    handed.around(message).flatMap((each) => sentMessage(each, at >= start ? running : earlier)),
  );
  return withoutNeighbours(sent);
}

/** Some providers require alternating roles, so adjacent user messages are merged. */
function withoutNeighbours(messages: readonly SentMessage[]): readonly SentMessage[] {
  const merged: SentMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role !== 'user' || message.role !== 'user') merged.push(message);
    else merged[merged.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
  }
  return merged;
}

interface MessageContext extends Rules {
  readonly connection: ModelConnection;
  readonly serves: readonly Served[];
  /** Whether the message belongs to the running turn. */
  readonly running: boolean;
}

function sentMessage(message: ModelMessage, place: MessageContext): readonly SentMessage[] {
  switch (message.role) {
    case 'user': {
      const content = message.content.filter((part) => part.type === 'image' || part.text.trim() !== '');
      return content.length === 0 ? [] : [{ role: 'user', content }];
    }
    case 'assistant': {
      const content = withoutLooseEnd(message.content.flatMap((part) => sentPart(part, place)));
      if (content.length === 0) return [];
      return [{ role: 'assistant', content: content.map((part) => betweenTags(part, place.connection)) }];
    }
    case 'tool': {
      const results = message.results.map(({ id, name, status, text }) => ({
        id: callIdFor(id, place.connection.conventions.callId),
        name,
        failed: status !== 'done',
        text: text === '' ? 'Nothing.' : text,
      }));
      return results.length === 0 ? [] : [{ role: 'tool', results }];
    }
    default:
      return message satisfies never;
  }
}

function sentPart(part: AssistantPart, place: MessageContext): readonly SentPart[] {
  if (part.type === 'served' && isOff(part.name, place.serves)) return [];
  const blocks = place.blocks?.(part);
  if (blocks) return blocks.length === 0 ? [] : [{ type: 'blocks', blocks }];
  if (part.type === 'served' || part.type === 'image') return [];
  const { connection } = place;
  const seal = unseal(connection.provider, part.meta);
  if (part.type === 'call') {
    const { name, input } = part;
    return [{ type: 'call', id: callIdFor(part.id, connection.conventions.callId), name, input, seal }];
  }
  const goesBack =
    part.type === 'text' ? part.text.trim() !== '' : goesBackAsReasoning(part.text, seal, place);
  return goesBack ? [{ type: part.type, text: part.text, seal }] : [];
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

/** Drops reasoning at the end of a stopped answer, since some providers refuse it. */
function withoutLooseEnd(content: readonly SentPart[]): readonly SentPart[] {
  return content.slice(0, content.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}
