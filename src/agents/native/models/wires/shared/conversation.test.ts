// What of a conversation goes to a provider.
import { expect, test } from 'vitest';
import { requestOf, user } from '../../../../../../test/kit/modelRig.ts';
import type { AssistantPart } from '../../../model.ts';
import type { ModelConnection } from '../wire.ts';
import { conversation } from './conversation.ts';
import type { Rules } from './conversation.ts';

const connection: ModelConnection = {
  provider: 'acme',
  model: 'm',
  address: { url: 'https://a.example', query: '', path: undefined },
  credentials: { key: 'k', keyHeader: undefined, sign: undefined },
  headers: {},
  extra: {},
  limits: { context: undefined, output: undefined },
  conventions: {
    callId: 'any',
    reasoning: 'turn',
    thinkTags: { start: '<t>', end: '</t>' },
    cache: 'short',
    requestsUsage: true,
  },
  transfer: {
    fetch: () => Promise.reject(new Error('no network')),
    hear: () => {},
    signal: new AbortController().signal,
  },
};

const text = (words: string): AssistantPart => ({ type: 'text', text: words });
const call: AssistantPart = { type: 'call', id: 'c', name: 'run', input: {} };
const reasoning = (words: string, options?: object): AssistantPart => ({
  type: 'reasoning',
  text: words,
  ...(options
    ? { meta: { for: 'acme', options: options as { [name: string]: { [name: string]: string } } } }
    : {}),
});

function check(
  ...[what, content, rules, expected]: [
    what: string,
    content: readonly AssistantPart[],
    rules: Rules,
    expected: readonly string[],
  ]
): void {
  test(`to a provider, ${what}`, () => {
    const messages = [user('Hi.'), { role: 'assistant', content }, user('Go on.')] as const;
    const sent = conversation(requestOf({ messages, start: 0 }), connection, rules).flatMap((message) =>
      message.role === 'assistant' ? message.content : [],
    );
    expect(
      sent.map((part) =>
        part.type === 'blocks'
          ? JSON.stringify(part.blocks)
          : part.type === 'call'
            ? `call ${part.name}`
            : `${part.type} ${part.text}`,
      ),
    ).toEqual(expected);
  });
}

const blocks = (part: AssistantPart) => (part.type === 'served' ? [{ one: 1 }, { two: 2 }] : undefined);

check(
  'blocks in the words of the format take the place of their part',
  [text('a'), { type: 'served', name: 'code', meta: null }, text('b')],
  { reasoning: 'sealed', blocks },
  ['text a', '[{"one":1},{"two":2}]', 'text b'],
);
check(
  'a tool that is switched off is not mentioned',
  [{ type: 'served', name: 'web_search', meta: null }, text('b')],
  { reasoning: 'sealed', blocks },
  ['text b'],
);
check(
  'reasoning without a seal stays away from those who check it',
  [reasoning('Hm.'), text('a')],
  { reasoning: 'sealed' },
  ['text a'],
);
check(
  'reasoning with a seal goes back',
  [reasoning('Hm.', { anthropic: { signature: 's' } }), call],
  { reasoning: 'sealed' },
  ['reasoning Hm.', 'call run'],
);
check(
  'reasoning that led to nothing does not',
  [text('a'), reasoning('Hm.', { anthropic: { signature: 's' } })],
  { reasoning: 'sealed' },
  ['text a'],
);
check(
  'reasoning that came between tags goes back between them',
  [reasoning('Hm.', { chat: { thoughtTags: 'yes' } }), text('a')],
  { reasoning: 'text' },
  ['text <t>Hm.</t>\n', 'text a'],
);
