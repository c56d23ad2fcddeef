// AGENTS.md and its like: of each folder, of the folders above it, and the user's own, with the
// files that they mention.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { InstructionFile } from '../../host/settings/projectKnowledge.ts';
import { contains } from '../../base/paths.ts';
import { parentFolders, userFolders } from './places.ts';
import type { KnowledgeSource, Texts } from './texts.ts';
import { untrustedMark } from './texts.ts';

export interface InstructionOptions {
  readonly roots: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  /** How far up to look: not at all, to the top of the repository, or all the way. */
  readonly parents: 'none' | 'repository' | 'all';
  readonly trusts: (folder: string) => boolean;
}

/** A mention of a mention of a mention is enough. */
const deepest = 4;

/** The maximum number of instruction files. */
const most = 40;

export async function instructionsIn(
  { roots, env, parents, trusts }: InstructionOptions,
  texts: Texts,
): Promise<readonly InstructionFile[]> {
  const found: InstructionFile[] = [];
  const seen = new Set<string>();
  const add = async (source: KnowledgeSource, depth = 0): Promise<boolean> => {
    const { path, inside: limit } = source;
    const real = texts.real(path);
    if (real === undefined || seen.has(real) || found.length >= most) return real !== undefined;
    if (limit !== undefined && !contains(limit, real)) return false;
    const text = await texts.read({ path: real, inside: limit });
    if (text === undefined || text.trim() === '') return false;
    seen.add(real);
    found.push({ path, text: text.trim(), ...untrustedMark(source) });
    if (depth < deepest)
      for (const mention of mentionsIn(text))
        await add({ ...source, path: pathOf(mention, path) }, depth + 1);
    return true;
  };
  for (const root of roots) {
    for (const folder of [root, ...foldersAbove(root, parents)]) {
      // A text of a workspace folder may include nothing outside that folder.
      const here = {
        inside: texts.real(folder) ?? folder,
        untrusted: trusts(folder) ? undefined : (true as const),
      };
      if (!(await add({ path: join(folder, 'AGENTS.md'), ...here })))
        await add({ path: join(folder, 'CLAUDE.md'), ...here });
    }
  }
  for (const folder of userFolders(env)) await add({ path: join(folder, 'AGENTS.md') });
  return found;
}

function foldersAbove(root: string, parents: InstructionOptions['parents']): readonly string[] {
  if (parents === 'none') return [];
  const up = parentFolders(root);
  if (parents === 'all') return up;
  const top = [root, ...up].findIndex((folder) => existsSync(join(folder, '.git')));
  return top <= 0 ? [] : up.slice(0, top);
}

/** Words that begin with @ and look like a file, outside of code. */
function mentionsIn(text: string): readonly string[] {
  const prose = text.replaceAll(/```.*?```|`[^`\n]*`/gs, ' ');
  return [...prose.matchAll(/(?:^|[\s(])@((?:~\/|\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)*\.\w+)/gm)].map(
    ([, path = '']) => path,
  );
}

function pathOf(mention: string, from: string): string {
  if (mention.startsWith('~/')) return join(homedir(), mention.slice(2));
  return isAbsolute(mention) ? mention : join(dirname(from), mention);
}
