// Resolves, compares and matches paths as text, without file access. Accepts slashes and backslashes.

/** The absolute path without `.` and `..`. The base is ignored for an absolute path. */
export function resolvePath(base: string, path: string): string {
  const whole = isAbsolute(path) ? path : `${base}/${path}`;
  const root = /^[A-Za-z]:/.exec(whole)?.[0] ?? '';
  const parts: string[] = [];
  for (const part of whole.slice(root.length).split(separators(whole))) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${root}/${parts.join('/')}`;
}

export function isAbsolute(path: string): boolean {
  return /^(?:\/|\\\\|[A-Za-z]:[/\\])/.test(path);
}

/**
 * Whether the root contains the path; both are absolute and resolved. /w/app does not contain /w/app-secret.
 */
export function contains(root: string, path: string): boolean {
  const base = root.endsWith('/') || root.endsWith('\\') ? root.slice(0, -1) : root;
  return path === root || path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}\\`);
}

/** The path relative to the root, with slashes; undefined if the root does not contain it. */
export function below(root: string, path: string): string | undefined {
  if (!contains(root, path)) return undefined;
  const base = root.replace(/[/\\]$/, '');
  return path.slice(base.length + 1).replaceAll('\\', '/');
}

/**
 * Whether a pattern matches a path: `*` and `?` match within one name, `**` matches any number of folders. A
 * relative pattern is relative to any of the roots; a pattern with a final slash matches everything in that
 * folder. The time is proportional to the lengths, whatever the pattern.
 */
export function fitsGlob(glob: string, path: string, roots: readonly string[]): boolean {
  const whole = /[/\\]$/.test(glob) ? `${glob}**` : glob;
  const pattern = whole
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (isAbsolute(glob)) return fitsFolders(pattern, namesOf(path));
  return roots.some((root) => {
    const inside = below(root, path);
    return inside !== undefined && fitsFolders(pattern, namesOf(inside));
  });
}

/** Whether a name matches a pattern with `*` and `?`. */
export function fitsName(pattern: string, name: string): boolean {
  return fits(Array.from(pattern), Array.from(name), {
    any: (element) => element === '*',
    one: (element, letter) => element === '?' || element === letter,
  });
}

function fitsFolders(pattern: readonly string[], names: readonly string[]): boolean {
  return fits(pattern, names, { any: (part) => part === '**', one: fitsName });
}

interface Comparison {
  /** Whether the pattern element matches any number of items. */
  readonly any: (element: string) => boolean;
  /** Whether the pattern element matches this item. */
  readonly one: (element: string, item: string) => boolean;
}

/** Backtracks only to the last wildcard: this is sufficient, and keeps a hostile pattern cheap. */
function fits(pattern: readonly string[], items: readonly string[], { any, one }: Comparison): boolean {
  let [p, t, star, starEnd] = [0, 0, -1, 0];
  while (t < items.length) {
    const element = pattern[p];
    const item = items[t];
    if (element !== undefined && any(element)) [star, starEnd, p] = [p, t, p + 1];
    else if (element !== undefined && item !== undefined && one(element, item)) [p, t] = [p + 1, t + 1];
    else if (star >= 0) [p, starEnd, t] = [star + 1, starEnd + 1, starEnd + 1];
    else return false;
  }
  return pattern.slice(p).every(any);
}

function namesOf(path: string): readonly string[] {
  return path.split(/[/\\]/).filter((part) => part !== '');
}

function separators(path: string): RegExp {
  return path.startsWith('/') ? /\// : /[/\\]/;
}
