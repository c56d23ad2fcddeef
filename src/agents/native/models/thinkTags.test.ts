import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelPart } from '../model.ts';
import { withoutThinkTags } from './thinkTags.ts';

async function read(pieces: readonly string[]): Promise<{ readonly text: string; readonly reasoning: string; readonly kinds: string }> {
  async function* source(): AsyncGenerator<ModelPart> {
    for (const text of pieces) yield { type: 'text', text };
    yield { type: 'finish', reason: 'stop' };
  }
  const said = { text: '', reasoning: '' };
  const kinds: string[] = [];
  for await (const part of withoutThinkTags(source())) {
    if (part.type === 'text' || part.type === 'reasoning') said[part.type] += part.text;
    if (kinds.at(-1) !== part.type) kinds.push(part.type);
  }
  return { ...said, kinds: kinds.join(' ') };
}

describe('thoughts between tags', () => {
  check('<think>Hm.</think>Yes.', { reasoning: 'Hm.', text: 'Yes.', kinds: 'reasoning text finish' });
  check('\n<think>\nHm.\n</think>\n\nYes.\n', { reasoning: '\nHm.\n', text: 'Yes.\n', kinds: 'reasoning text finish' });
  check('<think></think>Yes.', { reasoning: '', text: 'Yes.', kinds: 'text finish' });
  check('<think>Never ends </thi', { reasoning: 'Never ends </thi', text: '', kinds: 'reasoning finish' });
  check('No tag at all, but a < b and <b>.', { reasoning: '', text: 'No tag at all, but a < b and <b>.', kinds: 'text finish' });
  check('Later: <think>this is about tags</think>.', { reasoning: '', text: 'Later: <think>this is about tags</think>.', kinds: 'text finish' });
  check('<thi', { reasoning: '', text: '<thi', kinds: 'text finish' });
  check('<thinner>', { reasoning: '', text: '<thinner>', kinds: 'text finish' });

  function check(answer: string, expected: object): void {
    test(`${JSON.stringify(answer)} however it is cut`, async () => {
      await fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: answer.length, maxLength: answer.length }), async (lengths) => {
        const pieces: string[] = [];
        let at = 0;
        for (const length of lengths) {
          if (at >= answer.length) break;
          pieces.push(answer.slice(at, at + length));
          at += length;
        }
        expect(await read(pieces)).toEqual(expected);
      }), { numRuns: 50 });
    });
  }
});
