import { describe, expect, test } from 'vitest';
import type { Json } from '../../../model/event.ts';
import type { Item, Turn } from '../../../model/state.ts';
import { switchedNotice } from './providerSwitch.ts';

describe('a conversation that goes on elsewhere', () => {
  check('with the same provider', [turn('a/one', { for: 'a' })], 'a/two', undefined);
  check(
    'with another one',
    [turn('a/one', { for: 'a' })],
    'b/one',
    'The conversation goes on with b. What a has kept in its own form, such as its thoughts, ' +
      'is left out of it.',
  );
  check('with another one that lacks nothing', [turn('a/one', undefined)], 'b/one', undefined);
  check(
    'with one that was told already',
    [turn('a/one', { for: 'a' }), turn('b/one', undefined)],
    'b/one',
    undefined,
  );
  check('before anything was said', [], 'b/one', undefined);

  function turn(model: string, meta: Json | undefined): Turn {
    const item: Item = {
      type: 'text',
      id: 't',
      at: 0,
      channel: 'reasoning',
      text: 'Hm.',
      ...(meta === undefined ? {} : { meta }),
    };
    return { id: 'one', items: [item], usage: { model } } as unknown as Turn;
  }

  function check(
    name: string,
    history: readonly Turn[],
    ...[model, expected]: [string, string | undefined]
  ): void {
    test(`it goes on ${name}`, () => {
      expect(switchedNotice(history, model)?.text).toBe(expected);
    });
  }
});
