// Call ids in the form that a provider accepts. Chats move between providers, and some refuse ids of others.

export function callIdFor(id: string, form: 'any' | 'nine letters'): string {
  if (form === 'any') return /^[\w-]{1,64}$/.test(id) ? id : `call_${digest(id)}`;
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : digest(id).slice(0, 9);
}

/** Eleven letters and digits, always the same for the same id: two FNV-1a hashes with different offsets. */
function digest(text: string): string {
  return (hash(text, 0x811c9dc5).toString(36) + hash(text, 0x01234567).toString(36))
    .padEnd(11, '0')
    .slice(0, 11);
}

function hash(text: string, basis: number): number {
  let value = basis;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}
