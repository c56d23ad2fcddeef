// Splits a text into pieces for streaming.

/** `count` pieces of about the same length, or one per word. Joined they are the text. */
export function pieces(text: string, count?: number): readonly string[] {
  if (count === undefined) return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
  const letters = Array.from(text);
  const size = Math.max(1, Math.ceil(letters.length / Math.max(1, count)));
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(''),
  );
}
