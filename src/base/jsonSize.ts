// Checks the nesting depth of a JSON text, and how many values it has, without parsing it: an object with
// hundreds of thousands of names takes seconds to parse.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Linear. A text that is too short for that many levels is not scanned. */
export function nestsDeeperThan(text: string, maxDepth: number): boolean {
  if (text.length <= maxDepth * 2) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}

/** Linear. Counts the values of objects and lists. A text that is too short for so many is not scanned. */
export function hasMoreValuesThan(text: string, most: number): boolean {
  if (text.length <= most * 2) return false;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA && ++values > most) return true;
  }
  return false;
}

/**
 * Linear. The members of an object by their names, each as its JSON text, without parsing them; the last of
 * equal names counts. Undefined for a text that is no object, or one with more members than `most`.
 */
export function membersIn(text: string, most: number): ReadonlyMap<string, string> | undefined {
  const body = text.trim();
  if (!body.startsWith('{') || !body.endsWith('}')) return undefined;
  const members = new Map<string, string>();
  let start = body.slice(1, -1).trim() === '' ? body.length : 1;
  for (let count = 0; start < body.length; count++) {
    const end = endOfMember(body, start);
    const [name, value] = splitMember(body.slice(start, end));
    if (count >= most || name === undefined) return undefined;
    members.set(name, value);
    start = end + 1;
  }
  return members;
}

/** The place of the comma or bracket behind a member of the outermost object. */
function endOfMember(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) depth++;
    else if (depth === 0 && (code === COMMA || code === 0x7d)) return at;
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return text.length;
}

function splitMember(member: string): readonly [name: string | undefined, value: string] {
  const start = member.indexOf('"');
  if (start < 0) return [undefined, ''];
  const end = endOfString(member, start);
  try {
    const name: unknown = JSON.parse(member.slice(start, end + 1));
    return [String(name), member.slice(member.indexOf(':', end) + 1).trim()];
  } catch {
    return [undefined, ''];
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
