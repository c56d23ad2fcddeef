import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextTail } from './textTail.ts';

describe('the end of a text', () => {
  check('that fits', { limit: 5, pieces: ['ab', 'cde'] }, { text: 'abcde', truncated: false });
  check('that does not', { limit: 4, pieces: ['ab', 'cde'] }, { text: 'bcde', truncated: true });
  check('with wide characters', { limit: 3, pieces: ['aäö'] }, { text: 'ö', truncated: true });
  check('with a pair', { limit: 4, pieces: ['a😀'] }, { text: '😀', truncated: true });
  check(
    'with a pair in two pieces',
    { limit: 4, pieces: ['a\ud83d', '\ude00'] },
    { text: '😀', truncated: true },
  );
  check('with a pair that has no room', { limit: 3, pieces: ['a😀'] }, { text: '', truncated: true });
  check('of which nothing is wanted', { limit: 0, pieces: ['a'] }, { text: '', truncated: true });

  function check(name: string, given: { limit: number; pieces: readonly string[] }, expected: object): void {
    test(`a text ${name}`, () => {
      const tail = new TextTail(given.limit);
      for (const piece of given.pieces) tail.add(piece);
      expect(tail.read()).toEqual(expected);
    });
  }
});

test('it is the longest end of whole characters within the limit, however it came', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 20 }), fc.nat(40), (pieces, limit) => {
      const whole = pieces.join('');
      const tail = new TextTail(limit);
      for (const piece of pieces) tail.add(piece);
      const { text, truncated } = tail.read();
      expect(whole.endsWith(text)).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
      expect(truncated).toBe(text !== whole);
      const points = Array.from(whole);
      const more = points.slice(-Array.from(text).length - 1).join('');
      expect(truncated && Buffer.byteLength(more) <= limit).toBe(false);
    }),
  );
});

test('a long stream takes no more room than it must', () => {
  const tail = new TextTail(1_000);
  for (let count = 0; count < 100_000; count += 1) tail.add('0123456789');
  expect(tail.read()).toEqual({ text: '0123456789'.repeat(100), truncated: true });
});
