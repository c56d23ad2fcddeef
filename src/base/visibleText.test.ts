// What a person is shown of hostile text, character by character.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readableText, visibleText, wholeLength } from './visibleText.ts';

describe('text to decide on', () => {
  check('npm test\n\tindented', 'npm test\n\tindented');
  check('Grüße, 漢字, e\u0301 👩', 'Grüße, 漢字, e\u0301 👩');
  check('touch x # comment\rnpm test', 'touch x # comment\\rnpm test');
  check('a\r\nb', 'a\\r\nb');
  check('\u001b[8mhidden\u001b]52;c;eA==\u0007', '\\u001b[8mhidden\\u001b]52;c;eA==\\u0007');
  check('\u009b2J\u0000\u0008\u007f', '\\u009b2J\\u0000\\u0008\\u007f');
  check('a\u202eb\u2066c\u061cd', 'a\\u202eb\\u2066c\\u061cd');
  check('a\u200bb\u200dc\u2060d\ufeffe\u00adf', 'a\\u200bb\\u200dc\\u2060d\\ufeffe\\u00adf');
  check('a\u3164b\u115fc\uffa0d\u2800e', 'a\\u3164b\\u115fc\\uffa0d\\u2800e');
  check('a\ufe0fb\u{e0100}c\u{e0041}d\u034fe', 'a\\ufe0fb\\u{e0100}c\\u{e0041}d\\u034fe');
  check('a\u00a0b\u3000c\u2003d\u202fe', 'a\\u00a0b\\u3000c\\u2003d\\u202fe');
  check('a\u2028b\u2029c\ud800d\ue000', 'a\\u2028b\\u2029c\\ud800d\\ue000');
  check(`ls${' '.repeat(2000)}; rm x`, 'ls [2000 spaces] ; rm x');
  check(`ls${'\t'.repeat(300)}; rm x`, 'ls [300 tabs] ; rm x');
  check(`ls${' \t'.repeat(30)}; rm x`, 'ls [30 spaces and 30 tabs] ; rm x');
  check(`ls${'\u00a0'.repeat(2000)}; rm x`, 'ls[2000 times \\u00a0]; rm x');
  check(`ls${'\u3000'.repeat(2000)}; rm x`, 'ls[2000 times \\u3000]; rm x');
  check(`ls${'\u{e0020}'.repeat(9)}; rm x`, 'ls[9 times \\u{e0020}]; rm x');
  check(`ls${'\n'.repeat(200)}rm x`, 'ls\n[199 empty lines]\nrm x');
  check(`ls${'\n  '.repeat(200)}rm x`, 'ls\n[199 empty lines]\n  rm x');
  check('one\n\n\ntwo', 'one\n\n\ntwo');
  check(`a${'\u0301'.repeat(8)}`, `a${'\\u0301'.repeat(8)}`);

  function check(text: string, shown: string): void {
    test(`${JSON.stringify(text.slice(0, 40))} is shown as ${JSON.stringify(shown.slice(0, 40))}`, () => {
      expect(visibleText(text)).toBe(shown);
    });
  }

  test('nothing in any text is left that could hide, and nothing visible is lost', () => {
    const letter = fc.oneof(
      fc.constantFrom(' ', '\t', '\n', '\r', '\u001b', '\u202e', '\u3164', '\u00a0', 'a', 'é'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 60 }), (letters) => {
        const text = letters.join('');
        const shown = visibleText(text);
        expect(shown).not.toMatch(/[^\P{C}\t\n\p{Cn}]|[\p{Z}\p{Default_Ignorable_Code_Point}](?<! )/u);
        expect(shown).not.toMatch(/\u2800|[ \t]{40}/);
        let from = 0;
        for (const each of text.replace(/[^aé]/g, '')) {
          if (from >= 0) from = ` ${shown}`.indexOf(each, from + 1);
        }
        expect(from).toBeGreaterThanOrEqual(0);
        expect(visibleText(shown)).toBe(shown);
      }),
    );
  });
});

describe('text that is only read', () => {
  check('two\r\nlines', 'two\nlines');
  check('10 %\r50 %', '10 %\\r50 %');
  check('⚠️ 👩‍👩‍👧 👍🏽 ❤︎', '⚠️ 👩‍👩‍👧 👍🏽 ❤︎');
  check('می\u200cخواهم क\u094d\u200dष', 'می\u200cخواهم क\u094d\u200dष');
  check(
    '1\ufe0f\u20e3 \u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
    '1\ufe0f\u20e3 \u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
  );
  check('\u05e9\u05dc\u05d5\u05dd!\u200f a\u200f', '\u05e9\u05dc\u05d5\u05dd!\u200f a\\u200f');
  check('a\u200db\ufe0f', 'a\\u200db\\ufe0f');
  check('⚠\u200dx', '⚠\\u200dx');
  check('bon\u00a0!', 'bon\u00a0!');
  check('\u001b[31mred\u202e\u{e0041}', '\\u001b[31mred\\u202e\\u{e0041}');

  function check(text: string, shown: string): void {
    test(`${JSON.stringify(text)} is read as ${JSON.stringify(shown)}`, () => {
      expect(readableText(text)).toBe(shown);
    });
  }
});

test('every sign is shown as it is but those that act or hide', () => {
  const acts = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Cs}\p{Co}\u2800]/u;
  const wrong = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (sign) => (readableText(`a${sign}b`) === `a${sign}b`) !== (!acts.test(sign) || /[\t\n]/.test(sign)),
  );
  expect(wrong).toEqual([]);
});

test.each([
  'A family 👩‍👩‍👧‍👦 and a 👍🏽 and a ❤️.',
  'Key 1️⃣, flags 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} and 🇩🇪, e\u0301.',
  'می\u200cخواهم, क्\u200dष, שלום\u200f!',
  'one\r\ntwo\rthree \u200d \u202e four',
])('%j is shown the same, wherever a stream cuts it', (text) => {
  for (let size = 1; size <= text.length; size += 1) {
    let [shown, held] = ['', ''];
    for (let at = 0; at < text.length; at += size) {
      held += text.slice(at, at + size);
      const whole = wholeLength(held);
      shown += readableText(held.slice(0, whole));
      held = held.slice(whole);
    }
    expect(shown + readableText(held)).toBe(readableText(text));
  }
});

test('what nothing can join is shown at once', () => {
  for (const text of ['', 'word', 'word ', 'a.\n', '漢字 ']) expect(wholeLength(text)).toBe(text.length);
});
