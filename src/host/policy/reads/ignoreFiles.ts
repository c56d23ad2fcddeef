// Hidden files that an ignore file makes visible: ripgrep reads `.env` where a line says `!.env`.
import { fitsName } from '../../../base/paths.ts';
import type { Files } from '../../ports.ts';

/** In every folder above a file; the last one belongs to a repository. */
const names = ['.ignore', '.rgignore', '.gitignore', '.git/info/exclude'];

/** A larger file, and one that cannot be read, counts as one that makes all files visible. */
const mostBytes = 256 * 1024;

/** Whether an ignore file may make a hidden file visible; without files to look at, none does. */
export function unhidden(files: Pick<Files, 'readText'> | undefined): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<readonly string[]>>();
  const patternsIn = (folder: string) => {
    const found = known.get(folder) ?? readPatterns(folder, files);
    known.set(folder, found);
    return found;
  };
  return async (path) => {
    const parts = path.split('/');
    for (let end = parts.length - 1; end > 0; end -= 1) {
      const patterns = await patternsIn(parts.slice(0, end).join('/'));
      const below = parts.slice(end);
      if (patterns.some((pattern) => below.some((name) => fitsName(pattern, name)))) return true;
    }
    return false;
  };
}

async function readPatterns(
  folder: string,
  files: Pick<Files, 'readText'> | undefined,
): Promise<readonly string[]> {
  if (!files) return [];
  const texts = await Promise.all(names.map((name) => files.readText(`${folder}/${name}`, mostBytes)));
  return texts.flatMap((read) => {
    if ('text' in read) return patternsOf(read.text);
    return isMissing.has(read.problem) ? [] : ['*'];
  });
}

const isMissing: ReadonlySet<string> = new Set(['not-found', 'not-a-file', 'not-a-directory']);

/** The last names of the patterns that take a file out of what is ignored. */
function patternsOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [, pattern = ''] = /^!(.*?)[\s/]*$/.exec(line) ?? [];
    const last = pattern.split('/').at(-1) ?? '';
    return last === '' ? [] : [last.replaceAll(/\[[^\]]*\]/g, '?').replaceAll('\\', '')];
  });
}
