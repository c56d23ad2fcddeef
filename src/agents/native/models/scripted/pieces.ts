// Cuts a text into the pieces it is streamed in.

/** So many pieces of about the same length, or word by word where no number is given; together they are the text. */
export function pieces(text: string, count?: number): readonly string[] {
  if (count === undefined) return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
  const letters = Array.from(text);
  const size = Math.max(1, Math.ceil(letters.length / Math.max(1, count)));
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(''),
  );
}
