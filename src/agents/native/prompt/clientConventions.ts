// Per-client prompt conventions: persona, tool-name prefix, result suffix. They are chosen by the door where
// the chat began. The log has no trace of them: they apply to requests only.
import type { ChatId } from '../../../model/event.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { AssistantPart, ModelMessage, ModelRequest } from '../model.ts';

export interface ClientConventions {
  /** The name by which the system prompt introduces the agent. */
  readonly persona: string;
  /** Precedes the names of our own tools in requests. */
  readonly toolPrefix: string;
  /** Prefixes that a model may write before our tool names although no request has them. */
  readonly acceptedPrefixes: readonly string[];
  /** The server that hooks are told for our own tools. */
  readonly hookServer: string;
  /** Ends the text of every tool result. */
  readonly resultEnding: string;
  /** Our tools that a model may call only when it is asked to, with their descriptions. */
  readonly onDemand: { readonly [tool: string]: string | undefined };
  /** Set if a slash command that does not exist is a message to the model. */
  readonly sendsUnknownCommands?: true;
}

/**
 * The conventions of a chat that began in a client without its own. Hooks and prompts
 * follow ECA's file formats.
 */
export const defaultConventions: ClientConventions = {
  persona: 'Parley',
  toolPrefix: '',
  acceptedPrefixes: ['eca__'],
  hookServer: 'eca',
  resultEnding: '',
  onDemand: {},
};

export type ConventionsByDoor = { readonly [door: string]: ClientConventions | undefined };

/**
 * A chat keeps the conventions it began with, whichever client continues it: a changed prefix would miss
 * the provider's cache.
 */
export function conventionsFor(
  state: Pick<State, 'chats'>,
  chat: ChatId,
  byDoor: ConventionsByDoor,
): ClientConventions {
  const seen = new Set<ChatId>();
  for (let at: ChatId | undefined = chat; at !== undefined && !seen.has(at); at = parentOf(state.chats[at])) {
    seen.add(at);
    const door = doorOf(state.chats[at]);
    if (door !== undefined) return byDoor[door] ?? defaultConventions;
  }
  return defaultConventions;
}

/** Whether the client that sent the message of the running turn wants unknown commands sent to the model. */
export function sendsUnknownCommands(chat: Chat | undefined, byDoor: ConventionsByDoor): boolean {
  const by = chat?.active?.by;
  return by?.kind === 'client' && byDoor[by.door]?.sendsUnknownCommands === true;
}

function doorOf(chat: Chat | undefined): string | undefined {
  const { turns = [], active } = chat ?? {};
  const first = [...turns, active].find((turn) => turn?.by.kind === 'client');
  return first?.by.kind === 'client' ? first.by.door : undefined;
}

/** The chat that this chat was started from. */
function parentOf(chat: Chat | undefined): ChatId | undefined {
  return chat && chat.origin.type !== 'user' ? chat.origin.chat : undefined;
}

/** The longest tool name that all providers accept. */
const longestToolName = 64;

/** The name of one of our own tools in requests. */
export function requestName(tool: string, { toolPrefix }: ClientConventions): string {
  const name = `${toolPrefix}${tool}`;
  return name.length > longestToolName ? tool : name;
}

/** The name of the tool that a model means: its own spelling, or the one without an accepted prefix. */
export function calledName(
  name: string,
  { toolPrefix, acceptedPrefixes }: ClientConventions,
  isTool: (name: string) => boolean,
): string {
  if (isTool(name)) return name;
  const bare = [toolPrefix, ...acceptedPrefixes].flatMap((prefix) =>
    prefix !== '' && name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
  );
  return bare.find(isTool) ?? name;
}

/**
 * The request with tool names and results as the conventions say. A name that a server uses
 * stays with the server.
 */
export function applyConventions(request: ModelRequest, conventions: ClientConventions): ModelRequest {
  if (conventions === defaultConventions) return request;
  const taken = new Set(request.tools.flatMap(({ name, ours }) => (ours ? [] : [name])));
  const named = <T extends { readonly name: string; readonly ours?: true }>(each: T): T => {
    const name = requestName(each.name, conventions);
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
        text: `${result.text}${conventions.resultEnding}`,
      })),
    };
  };
  return { ...request, tools: request.tools.map(named), messages: request.messages.map(message) };
}
