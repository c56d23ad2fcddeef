// Paths as text: resolved, compared and matched without touching a disk. Knows both kinds of separators.

/** The absolute path of what was written, with dots taken out. A path that is absolute already ignores the base. */
export function resolvePath(base: string, path: string): string {
  const whole = isAbsolute(path) ? path : `${base}/${path}`;
  const root = /^[A-Za-z]:/.exec(whole)?.[0] ?? '';
  const kept: string[] = [];
  for (const part of whole.slice(root.length).split(separators(whole))) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return `${root}/${kept.join('/')}`;
}

export function isAbsolute(path: string): boolean {
  return /^(?:\/|\\\\|[A-Za-z]:[/\\])/.test(path);
}

/** Both paths are absolute and resolved; a twin such as /w/app-secret is not inside /w/app. */
export function contains(root: string, path: string): boolean {
  const base = root.endsWith('/') || root.endsWith('\\') ? root.slice(0, -1) : root;
  return path === root || path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}\\`);
}

/** The path below a root, with slashes; undefined where it is not below it. */
export function below(root: string, path: string): string | undefined {
  if (!contains(root, path)) return undefined;
  const base = root.replace(/[/\\]$/, '');
  return path.slice(base.length + 1).replaceAll('\\', '/');
}

/**
 * Whether a pattern fits a path: `*` and `?` stay within one name, `**` stands for any number of folders. A pattern that is not
 * absolute is meant below any of the roots, and one that ends with a slash means all that is in there. Takes time in proportion to the lengths, whatever the pattern.
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

/** Whether a name fits a pattern with `*` and `?`. */
export function fitsName(pattern: string, name: string): boolean {
  return fits(Array.from(pattern), Array.from(name), {
    any: (sign) => sign === '*',
    one: (sign, letter) => sign === '?' || sign === letter,
  });
}

function fitsFolders(pattern: readonly string[], names: readonly string[]): boolean {
  return fits(pattern, names, { any: (part) => part === '**', one: fitsName });
}

interface Comparison {
  readonly any: (sign: string) => boolean;
  readonly one: (sign: string, thing: string) => boolean;
}

/** Goes back to the last sign that takes anything, and to no earlier one: that is enough, and keeps a hostile pattern cheap. */
function fits(pattern: readonly string[], things: readonly string[], { any, one }: Comparison): boolean {
  let [p, t, star, taken] = [0, 0, -1, 0];
  while (t < things.length) {
    const sign = pattern[p];
    const thing = things[t];
    if (sign !== undefined && any(sign)) [star, taken, p] = [p, t, p + 1];
    else if (sign !== undefined && thing !== undefined && one(sign, thing)) [p, t] = [p + 1, t + 1];
    else if (star >= 0) [p, taken, t] = [star + 1, taken + 1, taken + 1];
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
