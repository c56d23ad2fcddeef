// How models are spoken to in conversations that began in certain clients, whose users have written prompts, rules and tests for it. Our log and the rest of the agent know nothing of it.
import type { ChatId } from '../../../model/event.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { AssistantPart, ModelMessage, ModelRequest } from '../model.ts';

export interface Dialect {
  /** Who the model is. */
  readonly persona: string;
  /** What stands before the names of our own tools. */
  readonly prefix: string;
  /** What every result of a call ends in. */
  readonly ending: string;
  /** Our tools that a model calls when it is asked to and never by itself, with what it is told of them. */
  readonly onDemand: { readonly [tool: string]: string | undefined };
}

/** By the door through which a conversation began. */
export type Dialects = { readonly [door: string]: Dialect | undefined };

/** A conversation keeps the dialect it began in, whoever goes on with it: providers remember what they have seen by its bytes. */
export function dialectOf(
  state: Pick<State, 'chats'>,
  chat: ChatId,
  dialects: Dialects,
): Dialect | undefined {
  const seen = new Set<ChatId>();
  for (let at: ChatId | undefined = chat; at !== undefined && !seen.has(at); at = around(state.chats[at])) {
    seen.add(at);
    const door = doorOf(state.chats[at]);
    if (door !== undefined) return dialects[door];
  }
  return undefined;
}

function doorOf(chat: Chat | undefined): string | undefined {
  const { turns = [], active } = chat ?? {};
  return [...turns, ...(active ? [active] : [])].flatMap(({ by }) =>
    by.kind === 'client' ? [by.door] : [],
  )[0];
}

/** The chat that another one belongs to. */
function around(chat: Chat | undefined): ChatId | undefined {
  return chat && chat.origin.type !== 'user' ? chat.origin.chat : undefined;
}

/** The longest name of a tool that all providers take. */
const longest = 64;

/** The name by which a model knows one of our own tools. */
export function spokenName(name: string, dialect: Dialect | undefined): string {
  const whole = `${dialect?.prefix ?? ''}${name}`;
  return whole.length > longest ? name : whole;
}

/** The request as its model is to read it. A name that a server has taken stays with it. */
export function spoken(request: ModelRequest, dialect: Dialect | undefined): ModelRequest {
  if (!dialect) return request;
  const taken = new Set(request.tools.flatMap(({ name, ours }) => (ours ? [] : [name])));
  const named = <T extends { readonly name: string; readonly ours?: true }>(each: T): T => {
    const name = spokenName(each.name, dialect);
    return each.ours && !taken.has(name) ? { ...each, name } : each;
  };
  const calls = new Map<string, string>();
  const part = (each: AssistantPart): AssistantPart => {
    if (each.type !== 'call') return each;
    const call = named(each);
    calls.set(call.id, call.name);
    return call;
  };
  const message = (each: ModelMessage): ModelMessage => {
    if (each.role === 'assistant') return { ...each, content: each.content.map(part) };
    if (each.role === 'user') return each;
    return {
      ...each,
      results: each.results.map((result) => ({
        ...result,
        name: calls.get(result.id) ?? result.name,
        text: `${result.text}${dialect.ending}`,
      })),
    };
  };
  return { ...request, tools: request.tools.map(named), messages: request.messages.map(message) };
}
