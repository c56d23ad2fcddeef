// Resolves what a message refers to: attachments, mentions, commands. The log records the result, so later
// turns use the content of that time.
import { present } from '../../../base/present.ts';
import type { AgentFact, TurnContext } from '../../../host/agent.ts';
import {
  calledText as writtenText,
  commandLabel,
  parseTypedCommand,
} from '../../../host/settings/promptCommands.ts';
import type { ProjectKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { Files } from '../../../host/ports.ts';
import type { OpenServers } from '../../../host/tools/toolServers.ts';
import type { WebPages } from '../../../host/tools/webPages.ts';
import type { Attachment, ResolvedInput, UserMessage } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import { attachmentContent } from './attachments.ts';
import type { HookedInput } from '../../../host/hooks/hookedTurn.ts';
import { mentionsIn } from './mentions.ts';
import type { Picture } from '../model.ts';
import type { SharedResources } from './sharedResources.ts';

export interface InputSources {
  readonly roots: readonly string[];
  readonly files: Files;
  readonly knowledge: ProjectKnowledge;
  readonly servers: OpenServers | undefined;
  /** Reads web pages; without it a link stays a link. */
  readonly web?: WebPages | undefined;
  /** What only the client behind the message has under a URI. */
  readonly link?: ((uri: string) => Promise<string | undefined>) | undefined;
  readonly signal: AbortSignal;
}

export interface InputOptions {
  readonly sources: InputSources;
  readonly resources: SharedResources | undefined;
  readonly record: (fact: AgentFact) => void;
}

/** Resolves a message once, and records the result if it adds anything to the message. */
export function inputResolver({
  sources: { servers, ...rest },
  resources,
  record,
}: InputOptions): (message: UserMessage, added: HookedInput) => Promise<ResolvedInput> {
  const sources: InputSources = {
    ...rest,
    servers: servers && resources && { ...servers, read: resources.read },
  };
  return async (message, added) => {
    const resolved = await resolve(message, sources);
    const changed = (await resources?.changes(sources.signal)) ?? [];
    const input = withAdditions(resolved, { ...added, context: [...changed, ...added.context] });
    if (addsToMessage(input)) record({ kind: 'input.resolved', message: message.id, input });
    return input;
  };
}

/** The texts that the host attached to the message of the turn; the logged message does not have them. */
export function hostAdditions(turn: TurnContext): readonly string[] {
  const { message, session } = turn;
  const logged = turn.state().chats[session.chat]?.active?.message.attachments?.length ?? 0;
  return (message.attachments ?? [])
    .slice(logged)
    .flatMap((added) => (added.type === 'text' ? [`${added.label}:\n${added.text}`] : []));
}

async function resolve(message: UserMessage, sources: InputSources): Promise<ResolvedInput> {
  const attachments = message.attachments ?? [];
  // Only a human mentions files; an agent or a program that writes "@x" means the text itself.
  const mentions =
    message.from === undefined
      ? mentionsIn(message.text).filter(
          (mention) => !attachments.some((attachment) => isSame(attachment, mention)),
        )
      : [];
  const [attached, mentioned, called] = await Promise.all([
    Promise.all(attachments.map((attachment) => attachmentContent(attachment, sources))),
    Promise.all(mentions.map((mention) => mentionedContent(mention, sources))),
    calledText(message, sources),
  ]);
  return {
    attachments: attached.map((content) => content ?? null),
    added: [...called, ...mentioned.flat()],
  };
}

type Mention = ReturnType<typeof mentionsIn>[number];

/** Nothing for a word that only looks like a path. */
async function mentionedContent(
  { path, lines }: Mention,
  sources: InputSources,
): Promise<readonly (string | Picture)[]> {
  const real = await sources.files.realPath(path, sources.roots[0] ?? '/');
  const found = await sources.files.stat(real);
  if (found?.type !== 'directory' && found?.type !== 'file') return [];
  const content = await attachmentContent(
    found.type === 'directory'
      ? { type: 'directory', path: real }
      : { type: 'file', path: real, ...(lines ? { lines } : {}) },
    sources,
  );
  if (content === undefined) return [];
  return typeof content === 'string' ? [content] : [`Attached file: ${real}`, content];
}

/** The text of a command, a skill or a server prompt; nothing if a door attached it already. */
async function calledText(
  { text, attachments = [], from }: UserMessage,
  { knowledge, servers, signal }: InputSources,
): Promise<readonly string[]> {
  const call = from === undefined ? parseTypedCommand(text) : undefined;
  if (!call || attachments.some((attachment) => attachment.type === 'text' && attachment.isCommand))
    return [];
  const written = writtenText(knowledge, text);
  if (written !== undefined) return [`${commandLabel}:\n${written}`];
  const [server = '', ...rest] = call.name.split(':');
  const prompt = servers
    ?.list()
    .find(({ name }) => name === server)
    ?.prompts.find(({ name }) => name === rest.join(':'));
  if (!servers || !prompt) return [];
  const args = Object.fromEntries(
    prompt.arguments.flatMap(({ name }, at) => (call.args[at] === undefined ? [] : [[name, call.args[at]]])),
  );
  const messages = await servers.prompt({ server, prompt: prompt.name, arguments: args, signal });
  return 'refused' in messages
    ? [messages.refused]
    : messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
}

function isSame(attachment: Attachment, { path, lines }: Mention): boolean {
  return (
    attachment.type === 'file' &&
    (attachment.path === path || attachment.path.endsWith(`/${path}`)) &&
    attachment.lines?.start === lines?.start &&
    attachment.lines?.end === lines?.end
  );
}

/** Adds what hooks and the host have to say about the message. */
function withAdditions(input: ResolvedInput, { prompt: text, context }: HookedInput): ResolvedInput {
  return { ...input, added: [...input.added, ...context], ...present({ text }) };
}

/** False for an input that says no more than the message. */
function addsToMessage({ text, attachments, added }: ResolvedInput): boolean {
  return text !== undefined || added.length > 0 || attachments.some((content) => content !== null);
}

/** Replaces a message that a hook blocked: later turns must not send it to the model either. */
export function withheldInput({ attachments = [] }: UserMessage): ResolvedInput {
  return { text: withheld, attachments: attachments.map(() => withheld), added: [] };
}

const withheld = '[A hook of the user has withheld this.]';

/** The resolved inputs of a session, by message. */
export function resolvedInputs({
  inputs,
}: Pick<State, 'inputs'>): (message: string) => ResolvedInput | undefined {
  return (message) => (Object.hasOwn(inputs, message) ? inputs[message] : undefined);
}
