// Removes characters that models read and people do not see: tag characters, zero-width characters, direction
// marks and control characters.

/** For text that is only read. Joined emoji are split. */
export function withoutHidden(text: string): string {
  return text.replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}]/gu, (letter) =>
    letter === '\n' || letter === '\t' ? letter : '',
  );
}

/** For values that must stay exact: removes only tag characters, which can spell out hidden sentences. */
export function withoutTags(text: string): string {
  return text.replaceAll(/[\u{E0000}-\u{E0FFF}]/gu, '');
}
