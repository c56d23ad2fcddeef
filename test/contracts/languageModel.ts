// What every provider's model must do, against a fake provider that speaks its wire format.
import { describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../src/agents/native/model.ts';
import { brief, callsIn, collect, messageOf, modelRig, requestOf, secretKey, user } from '../kit/modelRig.ts';
import { manualClock } from '../kit/manualClock.ts';
import type { Move, Reply, Traits } from '../kit/provider/reply.ts';

export function languageModelContract(name: string, traits: Traits): void {
  describe(`a model of ${name}`, () => {
    const rig = modelRig(traits);
    const { open, ask } = rig;

    test('streams words as they come, counts tokens and ends', async () => {
      const heard = gate();
      rig.server.replies.push([
        { text: 'Hello there,' },
        { until: heard.opened },
        { text: ' world.', split: 2 },
        { usage: { input: 120, output: 7 } },
      ]);
      const parts = await collect(open().stream(requestOf()), heard.open);
      expect(parts.filter(({ type }) => type === 'text').length).toBeGreaterThanOrEqual(2);
      expect(brief(parts)).toEqual([
        'text Hello there, world.',
        expect.stringMatching(/^usage \{"input":120,"output":7[,}]/),
        'finish stop',
      ]);
      expect(rig.server.requests[0]?.asked).toMatchObject({
        model: traits.model,
        stream: true,
        system: 'Be good.',
        prompt: 'Hi.',
      });
      expect(rig.server.requests[0]?.asked?.tools.map((tool) => tool.name)).toEqual(['read_file', 'run']);
    });

    test('sends its key, and only in a header', async () => {
      await ask([{ text: 'ok' }]);
      const { headers, path } = rig.server.requests[0] ?? {};
      expect([
        JSON.stringify(headers).includes(secretKey),
        rig.sent().includes(secretKey),
        path?.includes(secretKey),
      ]).toEqual([true, false, false]);
    });

    test('streams a call with its arguments', async () => {
      const parts = await ask([
        { text: 'Look:' },
        { call: 'read_file', input: { path: 'a.txt', line: 3 }, id: 'callabcde', split: 4 },
      ]);
      expect(brief(parts)).toEqual([
        'text Look:',
        'start read_file',
        ...(traits.pieces === 0 ? [] : ['input {"path":"a.txt","line":3}']),
        'call read_file {"path":"a.txt","line":3}',
        expect.stringMatching(/^usage/),
        'finish calls',
      ]);
    });

    test('shows the arguments of a call before they are complete, where the wire has pieces', async () => {
      const heard = gate();
      const reply: Reply = [
        { call: 'run', input: { command: 'ls' }, id: 'callabcde', split: 4, until: heard.opened },
      ];
      rig.server.replies.push(reply);
      let inputs = 0;
      for await (const part of open().stream(requestOf())) {
        if (part.type === 'tool-input') inputs += 1;
        if (part.type === 'tool-start') heard.open();
      }
      expect(inputs).toBeGreaterThanOrEqual(traits.pieces);
    });

    test('takes several calls in one answer and gives their results back', async () => {
      const parts = await ask([
        { call: 'read_file', input: { path: 'a' }, id: 'callaaaaa' },
        { call: 'run', input: { command: 'ls' }, id: 'callbbbbb' },
      ]);
      const calls = callsIn(parts);
      expect(calls.map((call) => [call.name, JSON.parse(call.input)])).toEqual([
        ['read_file', { path: 'a' }],
        ['run', { command: 'ls' }],
      ]);
      const results: ModelMessage = {
        role: 'tool',
        results: calls.map((call, at) => ({
          id: call.id,
          name: call.name,
          status: at === 0 ? 'done' : 'failed',
          text: `result ${at}`,
        })),
      };
      await ask([{ text: 'ok' }], { messages: [user('Hi.'), messageOf(parts), results], start: 0 });
      expect(rig.server.requests[1]?.asked?.results).toEqual(['result 0', 'result 1']);
    });

    test('takes ids of calls that another provider made', async () => {
      const id = 'functions.read_file:0/äö with blanks and more than sixty-four characters in all';
      const call: ModelMessage = {
        role: 'assistant',
        content: [{ type: 'call', id, name: 'read_file', input: {} }],
      };
      await ask([{ text: 'ok' }], {
        messages: [
          user('Hi.'),
          call,
          { role: 'tool', results: [{ id, name: 'read_file', status: 'done', text: 'x' }] },
        ],
        start: 0,
      });
      const ids = [
        ...rig.sent().matchAll(/"(?:id|call_id|tool_call_id|tool_use_id)":"(call[^"]*|[A-Za-z0-9]{9})"/g),
      ].map(([, found]) => found);
      expect([new Set(ids).size < 2, rig.sent().includes('with blanks')]).toEqual([true, false]);
    });

    test('counts what came from a cache', async () => {
      const parts = await ask([{ text: 'ok' }, { usage: { input: 1000, output: 5, ...traits.cache } }]);
      expect(parts.find((part) => part.type === 'usage')?.usage).toMatchObject({
        input: 1000,
        output: 5,
        ...traits.cache,
      });
    });

    test('says where a conversation may be cached, where its wire has a word for it', async () => {
      const { mark = '', times = 0 } = traits.marks ?? {};
      const said: ModelMessage = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };
      await ask([{ text: 'ok' }], {
        chat: 'chat-7',
        messages: [user('One.'), said, user('Two.'), said, user('Three.')],
      });
      expect(mark === '' ? 0 : rig.sent().split(mark).length - 1).toBe(times);
    });

    test('sends pictures', async () => {
      await ask([{ text: 'ok' }], {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See.' },
              { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' },
            ],
          },
        ],
      });
      expect(rig.sent()).toContain('aWNvbg==');
    });

    test('is not shown pictures any more once it has said that it cannot look at them; one that is broken proves nothing', async () => {
      const model = open();
      rig.server.replies.push(
        [{ fail: { status: 400, message: 'Could not process image.' } }],
        [{ fail: { status: 400, message: 'This model does not support image input.' } }],
      );
      await collect(model.stream(requestOf()));
      expect(model.pictures).toBe(true);
      await collect(model.stream(requestOf()));
      expect(model.pictures).toBe(false);
    });

    test('is told how hard to think', async () => {
      await ask([{ text: 'ok' }], { variant: 'low' });
      expect(rig.server.requests[0]?.body).toMatchObject(traits.low);
    });

    test('says that an answer was cut in the middle of a call', async () => {
      const parts = await ask([
        {
          call: 'run',
          input: { command: 'l' },
          ...(traits.pieces > 1 ? { raw: '{"command":"l' } : {}),
          id: 'callabcde',
        },
        { finish: 'length' },
      ]);
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length' });
      expect(callsIn(parts).map(({ input }) => input)).toEqual([
        traits.pieces > 1 ? '{"command":"l' : '{"command":"l"}',
      ]);
    });

    test('takes arguments that are no JSON as they are', async () => {
      if (traits.pieces === 0) return;
      expect(
        callsIn(await ask([{ call: 'run', input: {}, raw: '{"command": ls}', id: 'callabcde' }])).map(
          ({ input }) => input,
        ),
      ).toEqual(['{"command": ls}']);
    });

    test('says that an answer was cut for its length', async () => {
      expect(brief(await ask([{ text: 'Too lo' }, { finish: 'length' }]))).toEqual([
        'text Too lo',
        expect.stringMatching(/^usage/),
        'finish length',
      ]);
    });

    test('skips an event it does not know', async () => {
      expect(brief(await ask([{ text: 'One.' }, { news: true }, { text: 'Two.' }]))).toEqual([
        'text One.Two.',
        expect.stringMatching(/^usage/),
        'finish stop',
      ]);
    });

    test('may have nothing to add to the results of tools', async () => {
      const call: ModelMessage = {
        role: 'assistant',
        content: [{ type: 'call', id: 'c', name: 'run', input: {} }],
      };
      const parts = await ask([], {
        messages: [
          user('Hi.'),
          call,
          { role: 'tool', results: [{ id: 'c', name: 'run', status: 'done', text: '' }] },
        ],
      });
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });

    describe('a failure is data', () => {
      check('no key that is accepted', [fail(401)], { code: 'auth', retryable: false });
      check('a forbidden key', [fail(403)], { code: 'auth', retryable: false });
      check('too many requests, for so many seconds', [fail(429, { headers: { 'retry-after': '7' } })], {
        code: 'rate-limited',
        retryable: true,
        wait: 7000,
      });
      check(
        'too many requests, for so many milliseconds',
        [fail(429, { headers: { 'retry-after-ms': '1500', 'retry-after': '7' } })],
        { code: 'rate-limited', retryable: true, wait: 1500 },
      );
      check('too many requests until a limit is reset', [fail(429, { headers: limits })], {
        code: 'rate-limited',
        retryable: true,
        wait: 62_000,
      });
      check('too many requests without a word', [fail(429)], { code: 'rate-limited', retryable: true });
      check('an internal error', [fail(500)], { code: 'overloaded', retryable: true });
      check('a crowded provider', [fail(529)], { code: 'overloaded', retryable: true });
      check(
        'a picture that it does not take',
        [fail(400, { message: 'This model does not support image input.' })],
        { code: 'invalid-image', retryable: false },
      );
      check('an overloaded provider', [fail(503)], { code: 'overloaded', retryable: true });
      check('a bad gateway that speaks HTML', [fail(502, { body: '<html>Bad gateway</html>' })], {
        code: 'overloaded',
        retryable: true,
      });
      check(
        'a conversation that is too long',
        [fail(400, { message: 'prompt is too long: 250000 tokens > 200000 maximum' })],
        { code: 'context-overflow', retryable: false },
      );
      check('a model that is not there', [fail(404)], { code: 'invalid', retryable: false });
      check('a request it does not like', [fail(400, { message: 'messages: wrong' })], {
        code: 'invalid',
        retryable: false,
      });
      check(
        'an address that sends us elsewhere',
        [fail(307, { headers: { location: 'http://127.0.0.1:9/elsewhere' } })],
        { code: 'invalid', retryable: false },
      );
      check('a balance that is used up', [fail(400, { message: 'Your credit balance is too low.' })], {
        code: 'refused',
        retryable: false,
      });
      check('a stream that ends early', [{ text: 'Half of' }, { cut: 'end' }], {
        code: 'network',
        retryable: true,
        before: ['text Half of'],
      });
      check('a connection that breaks', [{ text: 'Half of' }, { pause: 20 }, { cut: 'reset' }], {
        code: 'network',
        retryable: true,
        before: ['text Half of'],
      });
      check('a stream that ends before it began', [{ cut: 'end' }], { code: 'network', retryable: true });
      check(
        'a call that breaks off',
        [{ text: 'So:' }, { call: 'run', input: { command: 'rm -rf x' } }, { cut: 'end' }],
        { code: 'network', retryable: true, before: expect.arrayContaining(['text So:']) },
      );
      check(
        'a line that cannot be read',
        [{ text: 'One.' }, { garbage: traits.garbage ?? 'data: {"choices":[{"del' }, { text: 'Two.' }],
        { code: 'invalid', retryable: true, before: ['text One.'] },
      );
      check(
        'too many requests until a date',
        [fail(429, { headers: { 'retry-after': 'Wed, 31 Dec 2025 00:01:00 GMT' } })],
        { code: 'rate-limited', retryable: true, wait: 0 },
      );
      check(
        'too many requests until one of several limits is reset',
        [
          fail(429, {
            headers: {
              'anthropic-ratelimit-requests-reset': '2020-01-01T00:00:00Z',
              'anthropic-ratelimit-requests-remaining': '0',
            },
          }),
        ],
        { code: 'rate-limited', retryable: true, wait: 0 },
      );
      check('a crowd in the middle of the stream', [{ text: 'One.' }, fail(529, { message: 'Overloaded' })], {
        code: 'overloaded',
        retryable: true,
        before: ['text One.'],
      });
      check(
        'a limit in the middle of the stream',
        [{ text: 'One.' }, fail(429, { message: 'Rate limit reached.' })],
        { code: 'rate-limited', retryable: true, before: ['text One.'] },
      );
      check(
        'a conversation that turns out too long in the middle of the stream',
        [{ text: 'One.' }, fail(400, { message: 'prompt is too long' })],
        { code: 'context-overflow', retryable: false, before: ['text One.'] },
      );
      check(
        'a parameter it does not know',
        [fail(400, { message: 'Unsupported parameter: temperature is not supported with this model.' })],
        { code: 'invalid', retryable: false },
      );
      check(
        'a web page that says that all is well',
        [fail(200, { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' })],
        { code: 'invalid', retryable: false },
      );
      check('a web page where its address should be', [fail(404, { body: '<html>Not found</html>' })], {
        code: 'invalid',
        retryable: false,
      });
      check(
        'an error in the middle of the stream',
        [{ text: 'One.' }, fail(503, { message: 'Overloaded' })],
        { code: 'overloaded', retryable: true, before: ['text One.'] },
      );
      check('an empty answer', [], { code: 'invalid', retryable: true, before: expect.anything() });

      function check(
        what: string,
        reply: Reply,
        { before = [], ...expected }: { readonly before?: unknown; readonly [name: string]: unknown },
      ): void {
        test(`${what} is one`, async () => {
          const parts = await ask(reply);
          expect(parts.at(-1)).toMatchObject({
            type: 'error',
            ...expected,
            message: expect.stringMatching(/^(?:[A-Z]|llama\.cpp)[^\n]{5,400}\.$/),
          });
          expect(JSON.stringify(parts.at(-1))).not.toMatch(/secret| {4}at /);
          expect(brief(parts.slice(0, -1))).toEqual(before);
        });
      }
    });

    test.each([
      ['before the first word', [], 'at once'],
      ['in the middle', [{ text: 'One. ' }], 'later'],
    ] as const)('lets go of the connection when it is stopped %s', async (_, before, when) => {
      const stop = new AbortController();
      rig.server.replies.push([...before, { idle: true }]);
      const reading = collect(open().stream(requestOf({ signal: stop.signal })), () => stop.abort());
      await until(() => rig.server.requests.length > 0);
      if (when === 'at once') stop.abort();
      expect(brief(await reading)).toEqual(before.map(({ text }) => `text ${text}`));
      expect(await rig.server.requests[0]?.ended).toBe('left');
    });

    test('lets go of the connection when nobody reads on', async () => {
      rig.server.replies.push([{ text: 'One. ' }, { text: 'Two. ' }, { idle: true }]);
      for await (const part of open().stream(requestOf())) if (part.type === 'text') break;
      expect(await rig.server.requests[0]?.ended).toBe('left');
    });

    test('gives up a stream that has gone silent, and not before', async () => {
      const clock = manualClock();
      rig.server.replies.push([{ text: 'One. ' }, { idle: true }]);
      const parts = await collect(open({ clock, idle: () => 120_000 }).stream(requestOf()), () => {
        clock.advance(119_000);
        expect(clock.waiting.length).toBe(1);
        clock.advance(1_000);
      });
      expect(brief(parts)).toEqual(['text One. ', 'error network']);
      expect(parts.at(-1)).toMatchObject({
        retryable: true,
        message: expect.stringContaining('went silent'),
      });
      expect([await rig.server.requests[0]?.ended, clock.waiting]).toEqual(['left', []]);
    });

    test('says so when nobody listens at its address', async () => {
      await rig.server.close();
      const parts = await collect(open().stream(requestOf()));
      expect(parts).toMatchObject([
        {
          type: 'error',
          code: 'network',
          retryable: false,
          message: expect.stringContaining('Is it running?'),
        },
      ]);
    });
  });
}

/**
 * For providers that seal their thoughts, `back` is what goes back of a thought; for the
 * others it is the words.
 */
export function thoughtsContract(name: string, traits: Traits & { readonly back: string }): void {
  describe(`the thoughts of ${name}`, () => {
    const rig = modelRig(traits);

    test('are shown apart from the words, and given back', async () => {
      const parts = await rig.ask([{ think: 'Let me see.', split: 3, seal: 'SEAL-1' }, { text: 'Done.' }]);
      expect(brief(parts).slice(0, 2)).toEqual(['reasoning Let me see.', 'text Done.']);
      await rig.ask([{ text: 'ok' }], {
        messages: [user('Hi.'), messageOf(parts), user('And now?')],
        start: 0,
      });
      expect([rig.sent().includes('Done.'), rig.sent().includes(traits.back)]).toEqual([true, true]);
    });

    test('are not given to a provider that did not have them', async () => {
      const options = {
        anthropic: { signature: 'FOREIGN' },
        openai: { itemId: 'FOREIGN', reasoningEncryptedContent: 'FOREIGN' },
      };
      const foreign: ModelMessage = {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Elsewhere.', meta: { for: 'elsewhere', options } },
          { type: 'text', text: 'Yes.' },
        ],
      };
      await rig.ask([{ text: 'ok' }], { messages: [user('Hi.'), foreign, user('And now?')], start: 2 });
      expect(['Yes.', 'Elsewhere.', 'FOREIGN'].map((word) => rig.sent().includes(word))).toEqual([
        true,
        false,
        false,
      ]);
    });

    test('are left out where they led to nothing', async () => {
      const options = {
        anthropic: { signature: 'S' },
        openai: { itemId: 'rs', reasoningEncryptedContent: 'S' },
      };
      const cut: ModelMessage = {
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'Half a', meta: { for: traits.provider, options } }],
      };
      await rig.ask([{ text: 'ok' }], { messages: [user('Hi.'), cut, user('Go on.')], start: 0 });
      expect(rig.sent()).not.toContain('Half a');
    });
  });
}

/** For providers that can look things up. */
export function sourcesContract(name: string, traits: Traits): void {
  describe(`the sources of ${name}`, () => {
    const rig = modelRig(traits);
    test('are links, each once, and only web addresses', async () => {
      const address = 'https://a.example/(x)';
      const parts = await rig.ask([
        { text: 'So it is.' },
        { cite: address, title: 'A [page]' },
        { cite: address, title: 'Again' },
        { cite: 'javascript:alert(1)', title: 'Bad' },
      ]);
      expect(brief(parts).slice(0, 2)).toEqual([
        'text So it is.',
        'text \n\nSources:\n- [A page](https://a.example/%28x%29)\n',
      ]);
    });
  });
}

/** For providers that say so when they refuse to answer. */
export function refusalContract(name: string, traits: Traits): void {
  describe(`a refusal of ${name}`, () => {
    const rig = modelRig(traits);
    test('without a word is told as such', async () => {
      expect(brief(await rig.ask([{ finish: 'refusal' }]))).toEqual([
        expect.stringMatching(/^usage/),
        'finish refusal',
      ]);
    });

    test('is told as such', async () => {
      expect(brief(await rig.ask([{ text: 'I will not.' }, { finish: 'refusal' }]))).toEqual([
        'text I will not.',
        expect.stringMatching(/^usage/),
        'finish refusal',
      ]);
    });
  });
}

const limits = {
  'x-ratelimit-reset-tokens': '1m2s',
  'x-ratelimit-remaining-tokens': '0',
  'x-ratelimit-reset-requests': '1s',
  'x-ratelimit-remaining-requests': '5',
};

function fail(status: number, more: object = {}): Move {
  return { fail: { status, ...more } };
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds())
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
}
