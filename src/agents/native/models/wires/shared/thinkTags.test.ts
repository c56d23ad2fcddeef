import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Parts } from './parts.ts';
import { ThinkTags } from './thinkTags.ts';

function read(
  pieces: readonly string[],
  tags = new ThinkTags({ start: '<think>', end: '</think>' }),
): { readonly text: string; readonly reasoning: string; readonly kinds: string } {
  const parts = new Parts('p');
  for (const text of pieces) tags.take(text, parts);
  tags.flush(parts);
  const said = { text: '', reasoning: '' };
  const kinds: string[] = [];
  for (const part of parts.take()) {
    if (part.type === 'text' || part.type === 'reasoning') said[part.type] += part.text;
    if (kinds.at(-1) !== part.type) kinds.push(part.type);
  }
  return { ...said, kinds: kinds.join(' ') };
}

describe('thoughts between tags', () => {
  check('<think>Hm.</think>Yes.', { reasoning: 'Hm.', text: 'Yes.', kinds: 'reasoning text' });
  check('\n<think>\nHm.\n</think>\n\nYes.\n', {
    reasoning: '\nHm.\n',
    text: 'Yes.\n',
    kinds: 'reasoning text',
  });
  check('<think></think>Yes.', { reasoning: '', text: 'Yes.', kinds: 'text' });
  check('<think>Never ends </thi', { reasoning: 'Never ends </thi', text: '', kinds: 'reasoning' });
  check('No tag at all, but a < b and <b>.', {
    reasoning: '',
    text: 'No tag at all, but a < b and <b>.',
    kinds: 'text',
  });
  check('Later: <think>this is about tags</think>.', {
    reasoning: '',
    text: 'Later: <think>this is about tags</think>.',
    kinds: 'text',
  });
  check('<thi', { reasoning: '', text: '<thi', kinds: 'text' });
  check('<thinner>', { reasoning: '', text: '<thinner>', kinds: 'text' });

  function check(answer: string, expected: object): void {
    test(`${JSON.stringify(answer)} however it is cut`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.integer({ min: 1, max: 6 }), { minLength: answer.length, maxLength: answer.length }),
          (lengths) => {
            const pieces: string[] = [];
            let at = 0;
            for (const length of lengths) {
              if (at >= answer.length) break;
              pieces.push(answer.slice(at, at + length));
              at += length;
            }
            expect(read(pieces)).toEqual(expected);
          },
        ),
        { numRuns: 50 },
      );
    });
  }
});
