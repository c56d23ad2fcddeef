// What a model is given with a message besides its words: what is attached, mentioned and called, as it was when the message came. The log keeps it, for the turns to come.
import { calledText, commandLabel, typed } from '../../../host/settings/promptCommands.ts';
import type { ProjectKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { Files } from '../../../host/ports.ts';
import type { OpenServers } from '../../../host/tools/toolServers.ts';
import type { Attachment, ResolvedInput, UserMessage } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import { contentOf } from './attachments.ts';
import type { HookedInput } from '../../../host/hooks/hookedTurn.ts';
import { mentionsIn } from './mentions.ts';
import type { Picture } from '../model.ts';

export interface GivenSources {
  readonly roots: readonly string[];
  readonly files: Files;
  readonly knowledge: ProjectKnowledge;
  readonly servers: OpenServers | undefined;
  /** Reads a page of the web; without it a link stays a link. */
  readonly page?: ((url: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** What only the client behind the message has under an address. */
  readonly link?: ((uri: string) => Promise<string | undefined>) | undefined;
  readonly signal: AbortSignal;
}

export async function gather(message: UserMessage, sources: GivenSources): Promise<ResolvedInput> {
  const attachments = message.attachments ?? [];
  // What an agent or a program says to itself mentions nothing.
  const mentions =
    message.from === undefined
      ? mentionsIn(message.text).filter(
          (mention) => !attachments.some((attachment) => isSame(attachment, mention)),
        )
      : [];
  const [attached, more, called] = await Promise.all([
    Promise.all(attachments.map((attachment) => contentOf(attachment, sources))),
    Promise.all(mentions.map((mention) => mentioned(mention, sources))),
    calledBy(message, sources),
  ]);
  return { attachments: attached.map((content) => content ?? null), added: [...called, ...more.flat()] };
}

type Mention = ReturnType<typeof mentionsIn>[number];

/** A word that only looks like a path is left alone. */
async function mentioned(
  { path, lines }: Mention,
  sources: GivenSources,
): Promise<readonly (string | Picture)[]> {
  const real = await sources.files.realPath(path, sources.roots[0] ?? '/');
  const found = await sources.files.stat(real);
  if (found?.type !== 'directory' && found?.type !== 'file') return [];
  const content = await contentOf(
    found.type === 'directory'
      ? { type: 'directory', path: real }
      : { type: 'file', path: real, ...(lines ? { lines } : {}) },
    sources,
  );
  if (content === undefined) return [];
  return typeof content === 'string' ? [content] : [`Attached file: ${real}`, content];
}

/** The text of a command, a skill or a prompt of a server; a door may have attached it already. */
async function calledBy(
  { text, attachments = [], from }: UserMessage,
  { knowledge, servers, signal }: GivenSources,
): Promise<readonly string[]> {
  const call = from === undefined ? typed(text) : undefined;
  if (
    !call ||
    attachments.some((attachment) => attachment.type === 'text' && attachment.label === commandLabel)
  )
    return [];
  const written = calledText(knowledge, text);
  if (written !== undefined) return [`${commandLabel}:\n${written}`];
  const [server = '', ...rest] = call.name.split(':');
  const prompt = servers
    ?.list()
    .find(({ name }) => name === server)
    ?.prompts.find(({ name }) => name === rest.join(':'));
  if (!servers || !prompt) return [];
  const given = Object.fromEntries(
    prompt.arguments.flatMap(({ name }, at) => (call.args[at] === undefined ? [] : [[name, call.args[at]]])),
  );
  const said = await servers.prompt({ server, prompt: prompt.name, arguments: given, signal });
  return 'refused' in said
    ? [said.refused]
    : said.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
}

function isSame(attachment: Attachment, { path, lines }: Mention): boolean {
  return (
    attachment.type === 'file' &&
    (attachment.path === path || attachment.path.endsWith(`/${path}`)) &&
    attachment.lines?.start === lines?.start &&
    attachment.lines?.end === lines?.end
  );
}

/** With what hooks have to say about the message. */
export function withAdded(input: ResolvedInput, { prompt, context }: HookedInput): ResolvedInput {
  return { ...input, added: [...input.added, ...context], ...(prompt === undefined ? {} : { text: prompt }) };
}

/** Whether it says more than the message itself; what does not is not kept. */
export function isWorthKeeping({ text, attachments, added }: ResolvedInput): boolean {
  return text !== undefined || added.length > 0 || attachments.some((content) => content !== null);
}

/** Stands for a message that a hook has blocked: later turns must not send it to the model either. */
export function withheldInput({ attachments = [] }: UserMessage): ResolvedInput {
  return { text: withheld, attachments: attachments.map(() => withheld), added: [] };
}

const withheld = '[A hook of the user has withheld this.]';

/** What was given with a message, as the log has it. */
export function givenWith({ inputs }: Pick<State, 'inputs'>): (message: string) => ResolvedInput | undefined {
  return (message) => (Object.hasOwn(inputs, message) ? inputs[message] : undefined);
}
