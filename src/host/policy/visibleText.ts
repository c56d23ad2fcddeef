// Makes text safe to decide on: what would hide, move or reverse other text is written out.

export function visible(text: string): string {
  return text
    .replace(hidden, (letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .replace(/ {40,}/g, (gap) => ` [${gap.length} spaces] `);
}

/** Control characters but tab and line feed, letters without width, and marks that change the direction of writing. */
export const hidden =
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is meant
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
