// Matches paths below a folder against patterns with `*`, `**`, `?` and `{a,b}`. No file access.

export interface GlobsOptions {
  readonly root: string;
  readonly includes: readonly string[] | undefined;
  readonly excludes: readonly string[] | undefined;
}

export function globs({ root, includes, excludes }: GlobsOptions): (path: string) => boolean {
  const [wanted, unwanted] = [includes?.map(pattern), excludes?.map(pattern) ?? []];
  return (path) => {
    const below = path === root ? '' : path.slice(root.length + 1);
    return (
      (wanted === undefined || wanted.some((one) => one.test(below))) &&
      !unwanted.some((one) => one.test(below))
    );
  };
}

/** A pattern also matches everything below a matching path. */
function pattern(glob: string): RegExp {
  const text = glob
    .slice(0, 1_024)
    .replace(/(?:\*\*\/)+/g, '**/')
    .replace(/\*{3,}/g, '**')
    .replace(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[\\^$.|+()[\]{}]/g, (part) => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      if (part === '?') return '[^/]';
      if (part.length > 1)
        return `(?:${part
          .slice(1, -1)
          .split(',')
          .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('|')})`;
      return `\\${part}`;
    });
  return new RegExp(`^${text}(?:/.*)?$`, 's');
}
