// Completes the word at the cursor: a file after `@`, a command after `/`, a conversation after `#`.
import { isResourceProblem } from '../../../../host/workspace/resourceFiles.ts';
import type { ResourceFiles } from '../../../../host/workspace/resourceFiles.ts';
import type { FileEntry } from '../../../../host/ports.ts';
import type { State } from '../../../../model/state.ts';
import type { Requests } from '../../../../protocols/ahp/v1_0/commands.ts';
import { chatUri } from '../../channels/channels.ts';
import { configuredAgent } from '../../inbound/sessionConfig.ts';
import { ahpError } from '../../errors.ts';
import { fileUri } from '../../../../base/fileUri.ts';
import { realPathInside } from '../../resources/resources.ts';
import type { V1_0Connection } from '../connection.ts';

type Result = Requests['completions']['result'];
type Item = Result['items'][number];

export const triggerCharacters: readonly string[] = ['@', '/', '#'];

/** VS Code asks on the channel of the session, others on that of a chat. */
export async function completions(
  client: V1_0Connection,
  { channel, kind, text, offset }: Requests['completions']['params'],
): Promise<Result> {
  const found = await client.find(channel);
  if (!found || found.session === client.host.own)
    throw ahpError('sessionNotFound', 'There is no such channel.');
  if (kind !== 'userMessage') return { items: [] };
  if (!Number.isInteger(offset) || offset < 0 || offset > text.length)
    throw ahpError('invalidParams', 'offset: must be a position in the text');
  const [, sign, word = ''] = /(?:^|\s)([@/#])(\S*)$/.exec(text.slice(0, offset)) ?? [];
  const range = { rangeStart: offset - word.length - 1, rangeEnd: offset };
  const { state } = found.session;
  const matches = sign === '/' && range.rangeStart > 0 ? undefined : matchesBySign[sign ?? ''];
  const all = (await matches?.(client, state, word)) ?? [];
  return { items: all.slice(0, most).map((item) => ({ ...item, ...range })) };
}

/** What a word after a sign may become; commands stand at the beginning of the text alone. */
const matchesBySign: Readonly<
  Record<
    string,
    (client: V1_0Connection, state: State, word: string) => readonly Found[] | Promise<readonly Found[]>
  >
> = { '@': filesLike, '#': chatsLike, '/': commandsLike };

/** The maximum number of completions. */
const most = 50;

type Found = Omit<Item, 'rangeStart' | 'rangeEnd'>;

async function filesLike(client: V1_0Connection, { roots }: State, word: string): Promise<readonly Found[]> {
  const { files } = client.scope;
  if (!files) return [];
  const found: Found[] = [];
  for (const root of roots) {
    const real = await realPathInside(client.scope, { uri: fileUri(root), read: true }).catch(
      () => undefined,
    );
    if (real === undefined) continue;
    for (const { path, name, type } of await looked(files, real, word)) {
      const relative = path.slice(real.length + 1);
      if (fits(relative, word))
        found.push({
          insertText: `@${relative}`,
          attachment: {
            type: 'resource',
            uri: fileUri(path),
            label: name,
            displayKind: type === 'directory' ? 'directory' : 'document',
          },
        });
    }
  }
  return found.toSorted(
    (a, b) => a.insertText.length - b.insertText.length || (a.insertText < b.insertText ? -1 : 1),
  );
}

/** The maximum number of entries to search; entries near the root come first. */
const patience = 4_000;
const uninteresting: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '.hg',
  '.svn',
  'dist',
  'target',
  '__pycache__',
  '.venv',
]);

async function looked(files: ResourceFiles, root: string, word: string): Promise<readonly FileEntry[]> {
  // A path that ends with a folder completes inside it; links are not followed, and nothing above the root is
  // read.
  const folder = word
    .slice(0, Math.max(0, word.lastIndexOf('/')))
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
  const top = folder === '' ? root : `${root}/${folder}`;
  const project = await files.project?.(root);
  if (project) return project.filter(({ path }) => path.startsWith(`${top}/`));
  const entries: FileEntry[] = [];
  const waiting = [top];
  for (const path of waiting) {
    const listed = await files.list(path);
    if (isResourceProblem(listed)) continue;
    for (const entry of listed) {
      if (uninteresting.has(entry.name) || (entry.type !== 'file' && entry.type !== 'directory')) continue;
      entries.push(entry);
      if (entry.type === 'directory') waiting.push(entry.path);
    }
    if (entries.length >= patience) break;
  }
  return entries;
}

async function commandsLike(
  client: V1_0Connection,
  { agent, roots }: State,
  word: string,
): Promise<readonly Found[]> {
  const { commands } = await client.host.knowledge.of(roots);
  const all = [...(configuredAgent(client.host, agent, roots)?.commands ?? []), ...commands];
  const named = new Map(all.map(({ name, description }) => [name, description]));
  return [...named]
    .filter(([name]) => fits(name, word))
    .map(([name, description]) => ({
      insertText: `/${name} `,
      attachment: {
        type: 'simple',
        label: `/${name}`,
        displayKind: 'command',
        // VS Code shows only completions that name their command.
        _meta: { command: name, description },
      },
    }));
}

function chatsLike(client: V1_0Connection, { id }: State, word: string): readonly Found[] {
  return client.host
    .summaries()
    .filter(
      (summary) => summary.started && summary.id !== id && summary.title !== '' && fits(summary.title, word),
    )
    .slice(0, most)
    .map((summary) => ({
      insertText: `#${summary.title.replaceAll(/\s+/g, '-')}`,
      attachment: { type: 'chat', resource: chatUri(summary.id), label: summary.title },
    }));
}

function fits(text: string, word: string): boolean {
  return text.toLowerCase().includes(word.toLowerCase());
}
