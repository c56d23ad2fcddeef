// Matches a URI against a template such as `file:///{path}`. Pure, and fast for any template, because
// templates are untrusted.

/**
 * A name in braces stands for one path segment; with `+`, `#` or
 * `*` for several. A part that begins with `?` or `&` is optional.
 */
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
