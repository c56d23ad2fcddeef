// Takes out of text what models read and people do not see: tags, letters without width, marks of direction and control characters.

/** For words that are only read. Emoji that are joined come apart. */
export function withoutHidden(text: string): string {
  return text.replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}]/gu, (letter) =>
    letter === '\n' || letter === '\t' ? letter : '',
  );
}

/** For values that must stay what they are: only tags and their like, which spell out whole sentences. */
export function withoutTags(text: string): string {
  return text.replaceAll(/[\u{E0000}-\u{E0FFF}]/gu, '');
}
