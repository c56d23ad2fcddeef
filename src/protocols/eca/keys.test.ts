import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldKeys } from './keys.ts';

describe('one key of many spellings', () => {
  check({ docText: 1 }, { docText: 1 });
  check({ 'doc-text': 1 }, { docText: 1 });
  check({ doc_text: 1 }, { docText: 1 });
  check({ DocText: 1, chatID: 2, 'HTTP-url': 3 }, { docText: 1, chatId: 2, httpUrl: 3 });
  check({ base64: 1, mediaType: 2 }, { base64: 1, mediaType: 2 });
  check({ a: [{ 'b-c': [{ d_e: 1 }] }] }, { a: [{ bC: [{ dE: 1 }] }] });
  check({ 'doc-text': 1, docText: 2 }, { docText: 2 });
  check({ docText: 2, 'doc-text': 1 }, { docText: 2 });
  check({ '': 1, '-': 2 }, { '': 1, '-': 2 });
  check({ 'a b-c': 1 }, { 'a b-c': 1 });
  check([1, 'a-b', null], [1, 'a-b', null]);
  check(null, null);
});

describe('data keeps its keys', () => {
  check(
    { initialization_options: { 'pure-config': true } },
    { initializationOptions: { 'pure-config': true } },
  );
  check({ data: { 'api-key': 'x' } }, { data: { 'api-key': 'x' } });
  check({ arguments: { original_content: 'a' } }, { arguments: { original_content: 'a' } });
  check({ env: { MY_VAR: '1' }, headers: { 'X-Y': '2' } }, { env: { MY_VAR: '1' }, headers: { 'X-Y': '2' } });
});

test('words joined in any way are the same key', () => {
  const word = fc.stringMatching(/^[a-z]{2,6}$/);
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 3 }), (first, rest) => {
      const camel = [first, ...rest.map((next) => next.charAt(0).toUpperCase() + next.slice(1))].join('');
      for (const spelled of [
        camel,
        [first, ...rest].join('-'),
        [first, ...rest].join('_'),
        camel.charAt(0).toUpperCase() + camel.slice(1),
      ]) {
        expect(foldKeys({ [spelled]: 1 })).toEqual({ [camel]: 1 });
      }
    }),
  );
});

test('any value can be folded, and no prototype is touched', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => void foldKeys(value)));
  const folded = foldKeys(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}')) as object;
  expect(Object.getPrototypeOf(folded)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

function check(given: unknown, expected: unknown): void {
  test(`folds ${JSON.stringify(given)}`, () => expect(foldKeys(given)).toEqual(expected));
}
