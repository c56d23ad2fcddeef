// Whether an address is one that a pattern such as `file:///{path}` stands for. Pure, and quick whatever the pattern: a stranger wrote it.

/** A name in braces stands for one step of a path; with `+`, `#` or `*` it may be several, and what begins with `?` or `&` may be left out. */
export function fitsTemplate(uri: string, template: string): boolean {
  const [first = '', ...rest] = template.split(/(\{[^{}]*\})/);
  if (!uri.startsWith(first)) return false;
  let from = first.length;
  for (let at = 0; at < rest.length; at += 2) {
    const [place = '', literal = ''] = rest.slice(at, at + 2);
    const isLast = at + 2 >= rest.length;
    const least = from + (isOptional(place) ? 0 : 1);
    const to =
      literal !== '' && !isLast ? uri.indexOf(literal, least) : uri.length - (isLast ? literal.length : 0);
    if (to < least || !uri.startsWith(literal, to) || !fits(uri.slice(from, to), place)) return false;
    from = to + literal.length;
  }
  return from === uri.length;
}

function isOptional(place: string): boolean {
  return /^\{[?&]/.test(place);
}

function fits(text: string, place: string): boolean {
  if (isOptional(place)) return text === '' || /^[?&]/.test(text);
  return /^\{[+#]|\*\}$/.test(place) || !/[/?#]/.test(text);
}
