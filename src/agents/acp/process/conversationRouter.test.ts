// A user who swaps agents and comes back sees what the agent says then.
import { expect, test } from 'vitest';
import { ConversationRouter } from './conversationRouter.ts';
import type { ConversationListener } from './conversationRouter.ts';

test('a conversation that is left late takes no messages from the one that has followed it', () => {
  const router = new ConversationRouter();
  const [left, next] = [listener(), listener()];
  router.join('s', left);
  router.join('s', next);
  router.part('s', left);
  expect(router.update('s', 'hello')).toBe(true);
  expect([left.heard, next.heard]).toEqual([[], ['hello']]);
  router.part('s', next);
  expect(router.update('s', 'hello')).toBe(false);
});

function listener(): ConversationListener & { readonly heard: unknown[] } {
  const heard: unknown[] = [];
  const nothing = () => undefined;
  return {
    heard,
    update: (update) => void heard.push(update),
    request: nothing,
    elicited: nothing,
    room: nothing,
  };
}
