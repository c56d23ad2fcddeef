// Reads a configuration file of git as git does: with quotes, escapes, comments and continued lines.

export interface GitSetting {
  /** In lower case, such as `remote`. */
  readonly section: string;
  /** Such as `origin`; empty if there is none. */
  readonly subsection: string;
  /** In lower case. */
  readonly key: string;
  readonly value: string;
}

/** Every setting in the text; undefined if git would refuse the file. */
export function gitSettings(text: string): readonly GitSetting[] | undefined {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const found: GitSetting[] = [];
  let [section, subsection, at] = ['', '', 0];
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (take(ignored); at < source.length; take(ignored)) {
    const heading = take(sectionHeading);
    if (heading) {
      const [name = '', ...rest] = (heading[1] ?? '').toLowerCase().split('.');
      section = name;
      subsection = heading[2]?.replace(/\\(.)/g, '$1') ?? rest.join('.');
      continue;
    }
    const key = take(settingKey)?.[1]?.toLowerCase();
    if (key === undefined) return undefined;
    const read = take(/=/y) ? readValue(source, at) : readNothing(source, at);
    if (!read) return undefined;
    found.push({ section, subsection, key, value: read.value });
    at = read.end;
  }
  return found;
}

const ignored = /(?:[ \t\r\n\f\v]|[#;][^\n]*)*/y;
const sectionHeading = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const settingKey = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;

interface ReadValue {
  readonly value: string;
  readonly end: number;
}

/** A key alone on its line means "true". */
function readNothing(source: string, at: number): ReadValue | undefined {
  return at >= source.length || source[at] === '\n' ? { value: 'true', end: at } : undefined;
}

const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
  ['\\', '\\'],
  ['"', '"'],
  ['\n', ''],
]);

/** Up to the end of its line; undefined if it is not valid. */
function readValue(source: string, start: number): ReadValue | undefined {
  let [value, blanks, quoted] = ['', '', false];
  for (let at = start; at < source.length; at += 1) {
    const letter = source.charAt(at);
    if (letter === '\n') return quoted ? undefined : { value, end: at };
    if (!quoted && /[ \t\r\f\v]/.test(letter)) {
      if (value !== '') blanks += letter;
      continue;
    }
    if (!quoted && /[#;]/.test(letter)) {
      const end = source.indexOf('\n', at);
      return { value, end: end < 0 ? source.length : end };
    }
    if (letter === '"') {
      quoted = !quoted;
      continue;
    }
    const text = letter === '\\' ? escapes.get(source.charAt((at += 1))) : letter;
    if (text === undefined) return undefined;
    value += blanks + text;
    blanks = '';
  }
  return quoted ? undefined : { value, end: source.length };
}
