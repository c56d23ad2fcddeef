// Checks the nesting depth of a JSON text, and how many values it has, without parsing it.

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

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
