// The id of a call as a provider takes it. Chats move between providers, and each is particular about ids it did not make.

export function callIdFor(id: string, form: 'any' | 'nine letters'): string {
  if (form === 'any') return /^[\w-]{1,64}$/.test(id) ? id : `call_${digest(id)}`;
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : digest(id).slice(0, 9);
}

/** Always the same eleven letters or digits for the same id: two rounds of FNV-1a with different beginnings. */
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
