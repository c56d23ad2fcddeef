// The commands and skills that users keep as Markdown where ECA looks for them. Reads text; runs nothing.
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

export interface WrittenText {
  readonly type: 'custom-prompt' | 'skill';
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** The names that its front matter gives to its arguments. */
  readonly arguments: readonly string[];
}

/** Longer texts are no commands. */
const limit = 256 * 1024;

/** What is in the workspace wins over what is the user's own; skills come first, each kind by name. */
export async function writtenCommands(roots: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<readonly WrittenText[]> {
  const own = globalDirectory(env);
  const folders = (name: string) => [...roots.map((root) => join(root, '.eca', name)), join(own, name)];
  const skillFolders = [...folders('skills'), ...roots.map((root) => join(root, '.agents', 'skills')), join(homedir(), '.agents', 'skills')];
  const skills = await Promise.all(skillFolders.map(skillsIn));
  const commands = await Promise.all(folders('commands').map(commandsIn));
  return [...firstOfEach(skills.flat()), ...firstOfEach(commands.flat())];
}

/** Where ECA keeps the user's own configuration. */
export function globalDirectory(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.config') : base, 'eca');
}

function firstOfEach(texts: readonly WrittenText[]): readonly WrittenText[] {
  const seen = new Map<string, WrittenText>();
  for (const text of texts) if (!seen.has(text.name)) seen.set(text.name, text);
  return [...seen.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function skillsIn(folder: string): Promise<readonly WrittenText[]> {
  const names = await namesIn(folder);
  const found = await Promise.all(names.map((name) => written(join(folder, name, 'SKILL.md'), { type: 'skill', name })));
  return found.flatMap((text) => text ?? []);
}

async function commandsIn(folder: string): Promise<readonly WrittenText[]> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.md'));
  const found = await Promise.all(names.map((name) => written(join(folder, name), { type: 'custom-prompt', name: basename(name, '.md') })));
  return found.flatMap((text) => text ?? []);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function written(path: string, { type, name }: Pick<WrittenText, 'type' | 'name'>): Promise<WrittenText | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined || text.length > limit) return undefined;
  const { fields, body } = frontMatter(text);
  const given = fields.get('name')?.trim();
  const names = (fields.get('arguments') ?? '').replaceAll(/[[\]"']/g, '').split(',').map((word) => word.trim()).filter(Boolean);
  return { type, name: given === undefined || given === '' || /\s/.test(given) ? name : given, description: fields.get('description') ?? firstLine(body), body: body.trim(), arguments: names };
}

/** The simple lines of a front matter, `key: value`; what is more than that is left alone. */
export function frontMatter(text: string): { readonly fields: ReadonlyMap<string, string>; readonly body: string } {
  const [, head, body] = /^---\r?\n(.*?)\r?\n---\r?\n?(.*)$/s.exec(text.replace(/^\uFEFF/, '')) ?? [];
  if (head === undefined || body === undefined) return { fields: new Map(), body: text };
  const lines = head.split(/\r?\n/).flatMap((line) => {
    const [, key, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [[key, unquoted(value ?? '')] as const];
  });
  return { fields: new Map(lines), body };
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value.trim();
}

function firstLine(text: string): string {
  return text.split('\n').map((line) => line.replace(/^#+\s*/, '').trim()).find((line) => line !== '')?.slice(0, 120) ?? '';
}
