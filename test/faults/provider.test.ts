// Providers that fail in every way, under a whole turn: what was shown stays, nothing is shown twice, and
// the turn always ends.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { providerOf } from '../../src/agents/native/models/providers/providers.ts';
import { remoteModel } from '../../src/agents/native/models/remoteModel.ts';
import { resolveAccess } from '../../src/agents/native/models/providers/access.ts';
import { realClock } from '../../src/io/store/realWorld.ts';
import type { EndedTurn } from '../../src/model/state.ts';
import { fakeProvider } from '../kit/fakeProvider.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { manualClock } from '../kit/manualClock.ts';
import type { ManualClock } from '../kit/manualClock.ts';
import { briefItems, nativeRig } from '../kit/nativeRig.ts';
import type { NativeRig } from '../kit/nativeRig.ts';
import type { Reply } from '../kit/provider/reply.ts';

const models = [
  ['anthropic', 'claude-sonnet-5'],
  ['openai', 'gpt-5.2'],
  ['google', 'gemini-3-flash-preview'],
  ['deepseek', 'deepseek-chat'],
  ['ollama', 'fake'],
] as const;

let server: FakeProvider;
let rig: NativeRig;
/** The clock of the streams; the waits between attempts have the rig's. */
let streams: ManualClock;

beforeEach(async () => {
  server = await fakeProvider();
});
afterEach(async () => {
  await rig.close();
  await server.close();
});

async function open(id: string, model: string, clock?: ManualClock): Promise<void> {
  const provider = providerOf(id);
  if (!provider) throw new Error(`no provider ${id}`);
  const env = { [`${id.toUpperCase()}_API_URL`]: server.url, [`${id.toUpperCase()}_API_KEY`]: 'k' };
  const { titles: _, ...made } = remoteModel({
    provider,
    model,
    access: () => resolveAccess(provider, env, undefined),
    fetch: globalThis.fetch,
    clock: clock ?? realClock,
  });
  rig = await nativeRig([made]);
}

/** Plays a turn and lets every wait between attempts pass at once. */
async function play(text: string): Promise<EndedTurn> {
  const over = new AbortController();
  const turn = rig.prompt(text).finally(() => over.abort());
  while (!over.signal.aborted) {
    rig.clock.advance(rig.clock.waiting[0] ?? 0);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  return turn;
}

const words = Array.from({ length: 30 }, (_, at) => `word${at} `);
const whole = words.join('');

function answerOf({ items }: EndedTurn): string {
  return items.map((item) => (item.type === 'text' && item.channel === 'answer' ? item.text : '')).join('');
}

describe.each(models)('an answer of %s that breaks off', (id, model) => {
  test.each([
    [1, 'end'],
    [7, 'reset'],
    [15, 'end'],
    [29, 'reset'],
  ] as const)('after %i words (%s) is complete in the end, with each word once', async (count, cut) => {
    await open(id, model);
    for (const habit of ['goes on', 'begins again'] as const) {
      server.reply = ({ prompt }) => {
        if (!prompt.includes('Go on exactly')) return [...said(words.slice(0, count)), { pause: 5 }, { cut }];
        return said(habit === 'goes on' ? words.slice(count) : words);
      };
      const turn = await play('hi');
      expect([
        turn.outcome,
        answerOf(turn),
        turn.items.filter(({ type }) => type === 'notice').length,
      ]).toEqual([{ kind: 'completed' }, whole, 1]);
    }
  });

  test('again and again is complete in the end, with each word once', async () => {
    await open(id, model);
    let reached = 0;
    server.reply = () => {
      const from = reached;
      reached += 6;
      return [...said(words.slice(from, reached)), ...(reached < 30 ? [{ cut: 'end' } as const] : [])];
    };
    expect(answerOf(await play('hi'))).toBe(whole);
  });

  test('and is thought about anew shows each thought once', async () => {
    await open(id, model);
    let requests = 0;
    server.reply = () => [
      { think: 'First this, then that.', split: 5, seal: 's' },
      ...((requests += 1) === 1 ? [{ cut: 'end' } as const] : said(words)),
    ];
    const turn = await play('hi');
    const thoughts = turn.items
      .map((item) => (item.type === 'text' && item.channel === 'reasoning' ? item.text : ''))
      .join('');
    expect([thoughts, answerOf(turn)]).toEqual(['First this, then that.', whole]);
  });

  test('in silence is continued', async () => {
    streams = manualClock();
    await open(id, model, streams);
    server.reply = ({ prompt }) =>
      prompt.includes('Go on exactly') ? said(words.slice(5)) : [...said(words.slice(0, 5)), { idle: true }];
    const turn = rig.prompt('hi');
    await rig.shows((item) => item.type === 'text' && item.text === words.slice(0, 5).join(''));
    streams.advance(120_000);
    await rig.shows((item) => item.type === 'notice');
    rig.clock.advance(2_000);
    const ended = await turn;
    expect([answerOf(ended), briefItems(ended.items)[1]]).toEqual([
      whole,
      expect.stringMatching(/went silent .* Retrying in 2 s \(1 of 10\)\.$/),
    ]);
  });

  test('for too many requests waits as long as it is told', async () => {
    await open(id, model);
    server.replies.push([{ fail: { status: 429, headers: { 'retry-after': '9' } } }], said(words));
    const turn = rig.prompt('hi');
    await rig.shows((item) => item.type === 'notice');
    expect(rig.clock.waiting).toEqual([9_000]);
    rig.clock.advance(8_999);
    expect(server.requests.length).toBe(1);
    rig.clock.advance(1);
    expect(answerOf(await turn)).toBe(whole);
  });

  test('keeps what it thought with the next turn', async () => {
    await open(id, model);
    server.replies.push(
      [
        { think: 'Hm.', seal: 'SEAL-9' },
        { call: 'read_file', input: { path: 'a.txt' }, seal: 'SEAL-9' },
      ],
      [{ text: 'Read.' }],
      [{ text: 'Again.' }],
    );
    await play('one');
    await play('two');
    expect([server.requests.length, server.requests[2]?.asked?.prompt]).toEqual([3, 'two']);
    expect(JSON.stringify(server.requests[2]?.body).includes('SEAL-9')).toBe(id !== 'ollama');
  });
});

describe('a model that talks nonsense', () => {
  check(
    'a tool that is not there',
    [[{ call: 'fly', input: {} }], [{ text: 'Sorry.' }]],
    ['fly failed', 'answer: Sorry.'],
    { kind: 'completed' },
  );
  check(
    'arguments that are no JSON',
    [[{ call: 'read_file', input: {}, raw: '{"path":' }], [{ text: 'Sorry.' }]],
    ['read_file failed', 'answer: Sorry.'],
    { kind: 'completed' },
  );
  check('nothing, for ever', [[], [], [], []], [notice(1), notice(2), notice(3)], {
    kind: 'failed',
    problem: { code: 'invalid', message: 'Anthropic sent an empty answer. Given up after 3 more attempts.' },
  });
  check(
    'too much for its own memory',
    [[{ fail: { status: 400, message: 'prompt is too long: 1200000 tokens > 1000000 maximum' } }]],
    [],
    {
      kind: 'failed',
      problem: {
        code: 'context-overflow',
        message:
          'The conversation is too long for claude-sonnet-5. Start a new chat, or go back to ' +
          'an earlier message.',
      },
    },
  );

  function notice(attempt: number): unknown {
    return `warning: Anthropic sent an empty answer. Retrying in ${2 ** attempt} s (${attempt} of 3).`;
  }

  function check(
    name: string,
    replies: readonly Reply[],
    ...[items, outcome]: [readonly unknown[], object]
  ): void {
    test(`${name} ends in words`, async () => {
      await open('anthropic', 'claude-sonnet-5');
      server.replies.push(...replies);
      const turn = await play('hi');
      expect([briefItems(turn.items), turn.outcome, rig.problems]).toEqual([items, outcome, []]);
    });
  }
});

function said(some: readonly string[]): Reply {
  return some.map((text) => ({ text, split: 1 }));
}
