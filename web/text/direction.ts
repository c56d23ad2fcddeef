// The direction of texts, where the browser cannot judge it itself.

const scripts = ['Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko', 'Adlam'];
const letters = `[${scripts.map((script) => `\\p{Script=${script}}`).join('')}]`;
const rightToLeft = new RegExp(letters, 'u');
const words = new RegExp(`(${letters}(?:${letters}|\\p{M})*)`, 'u');

/** Text without letters reads from the left. */
export function directionOf(text: string): 'ltr' | 'rtl' {
  const [letter = ''] = /\p{L}/u.exec(text) ?? [];
  return rightToLeft.test(letter) ? 'rtl' : 'ltr';
}

/**
 * The words of a command line that read from the right, each by itself at an odd place, and the text between
 * them. Drawn as one text, `a > b` of such words would look like `b < a`.
 */
export function rightToLeftWords(text: string): readonly string[] {
  return text.split(words);
}
