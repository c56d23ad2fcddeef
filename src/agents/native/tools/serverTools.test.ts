import { describe, expect, test } from 'vitest';
import { nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import { until } from '../../../../test/kit/host.ts';
import { leaveOut } from '../../../host/turns/disabledFeatures.ts';
import type {
  OpenServers,
  ServerCall,
  ServerResult,
  ServerTool,
  ServerView,
  ToolServers,
} from '../../../host/tools/toolServers.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { LanguageModel, ModelRequest } from '../model.ts';
import { scriptedModel } from '../models/scripted/scripted.ts';
import { serverPart } from '../../../host/tools/serverNames.ts';
import { serverTools } from './serverTools.ts';

const sums = view({
  name: 'sums',
  tools: [{ name: 'add', title: 'Add', description: 'Adds.', parameters: { type: 'object' } }],
  instructions: 'Add before you multiply.',
});

function named(name: string): ServerTool {
  return { name, description: '', parameters: { type: 'object' } };
}

function view(more: Partial<ServerView> & { readonly name: string }): ServerView {
  return {
    status: 'running',
    reach: { command: 'x', args: [] },
    tools: [],
    prompts: [],
    resources: [],
    ...more,
  };
}

const refused = () => Promise.resolve({ refused: 'Not here.' });
const noMore = { prompt: refused, read: refused, signIn: refused, signOut: () => false, revision: () => 0 };

function open(
  views: readonly ServerView[],
  call: (call: ServerCall) => Promise<ServerResult> = () => Promise.resolve({ status: 'done', content: [] }),
): OpenServers {
  return {
    list: () => views,
    settled: () => Promise.resolve(),
    call,
    start: () => true,
    stop: () => true,
    close: () => {},
    ...noMore,
  };
}

function serversOf(servers: OpenServers): ToolServers {
  return {
    open: () => servers,
    list: () => servers.list(),
    watch: () => () => {},
    refresh: () => {},
    authenticate: () => Promise.resolve('unknown'),
    close: () => Promise.resolve(),
  };
}

async function withRig(
  servers: OpenServers,
  work: (rig: NativeRig, requests: readonly ModelRequest[]) => Promise<void>,
): Promise<void> {
  const requests: ModelRequest[] = [];
  const scripted = scriptedModel({ sleep: () => Promise.resolve() });
  const model: LanguageModel = {
    ...scripted,
    stream: (request) => (requests.push(request), scripted.stream(request)),
  };
  const rig = await nativeRig([model], { external: { servers: serversOf(servers) } });
  try {
    await work(rig, requests);
  } finally {
    await rig.close();
  }
}

describe('names', () => {
  test.each([
    ['sums', 'sums'],
    ['my server!', 'my_server'],
    ['a__b', 'a_b'],
    ['', 'server'],
    ['Größe', 'Gr_e'],
  ])('the server "%s" is "%s"', (name, expected) => {
    expect(serverPart(name)).toBe(expected);
  });

  test('every tool has a name of its own that all providers take', () => {
    const tools = ['a.b', 'a b', 'x'.repeat(80), `${'x'.repeat(80)}y`].map((name) => ({
      name,
      description: '',
      parameters: {},
    }));
    expect(serverTools(open([view({ name: 's', tools })])).map(({ name }) => name)).toEqual([
      's__a_b',
      's__a_b_2',
      `s__${'x'.repeat(61)}`,
      `s__${'x'.repeat(57)}_2`,
    ]);
  });
});

test('a server that is switched off in the session lends nothing there, and does again when it is on', async () => {
  await withRig(open([sums]), async (rig, requests) => {
    const offers = () => [
      requests.at(-1)?.tools.some(({ name }) => name === 'sums__add'),
      requests.at(-1)?.system.includes('Add before you multiply.'),
    ];
    rig.session.dispatch(leaveOut(new Set(['server:sums'])), { kind: 'host' });
    await rig.prompt('say Without.');
    expect(offers()).toEqual([false, false]);
    rig.session.dispatch(leaveOut(new Set()), { kind: 'host' });
    await rig.prompt('say With.');
    expect(offers()).toEqual([true, true]);
  });
});

test('the model is told of the tools and of what the server says; a call is asked about, then made, and logged with its server', async () => {
  const calls: ServerCall[] = [];
  const servers = open([sums], (call) => {
    calls.push(call);
    call.progress?.('Counting.');
    return Promise.resolve({
      status: 'done',
      content: [
        { type: 'text', text: '3' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ],
    });
  });
  await withRig(servers, async (rig, requests) => {
    rig.start('tool sums__add {"a":1}\nsay {{result}}');
    await until(rig.session, () => Object.keys(rig.chat().asks).length > 0);
    expect(Object.values(rig.chat().asks)[0]?.ask).toMatchObject({
      kind: 'approval',
      title: 'sums: Add\nServer: x\nsums says of it: Adds.',
    });
    expect(calls).toEqual([]);
    rig.session.dispatch(
      {
        kind: 'answer',
        chat: rig.session.id,
        ask: Object.keys(rig.chat().asks)[0] ?? '',
        answer: { kind: 'option', option: 'allow' },
      },
      { kind: 'host' },
    );
    await until(rig.session, () => rig.chat().turns.length === 1);
    const item = rig.chat().turns[0]?.items.find((each): each is ToolItem => each.type === 'tool');
    expect(item).toMatchObject({
      name: 'sums__add',
      title: 'sums: Add',
      source: 'mcp',
      server: 'sums',
      toolKind: 'other',
      input: { a: 1 },
      output: 'Counting.\n',
      result: { status: 'done' },
    });
    expect(calls).toMatchObject([{ server: 'sums', tool: 'add', input: { a: 1 } }]);
    expect(requests[0]?.tools.find(({ name }) => name === 'sums__add')).toEqual({
      name: 'sums__add',
      description: 'Adds.',
      parameters: { type: 'object' },
    });
    expect(requests[0]?.system).toContain('Add before you multiply.');
    expect(requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', results: [{ name: 'sums__add', status: 'done', text: '3\n[A picture (image/png).]' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What sums__add returned shows this:' },
          { type: 'image', mediaType: 'image/png' },
        ],
      },
    ]);
    expect(rig.problems).toEqual([]);
  });
});

test('what is always allowed is asked about again once its server says something else of it', async () => {
  const tools = (definition: string) => [
    { name: 'add', title: 'Add', description: 'Adds.', parameters: { type: 'object' }, definition },
  ];
  let now = tools('one');
  const servers: OpenServers = { ...open([]), list: () => [view({ name: 'sums', tools: now })] };
  await withRig(servers, async (rig) => {
    const titles: string[] = [];
    const call = async (option: string) => {
      const count = rig.chat().turns.length;
      rig.start('tool sums__add {"a":1}\nsay Done.');
      await until(
        rig.session,
        () => Object.keys(rig.chat().asks).length > 0 || rig.chat().turns.length > count,
      );
      const [open_] = Object.values(rig.chat().asks);
      if (open_?.ask.kind === 'approval') titles.push(open_.ask.title);
      if (open_)
        rig.session.dispatch(
          { kind: 'answer', chat: rig.session.id, ask: open_.ask.id, answer: { kind: 'option', option } },
          { kind: 'host' },
        );
      await until(rig.session, () => rig.chat().turns.length > count);
    };
    await call('allow-session');
    await call('deny');
    now = tools('two');
    await call('allow-session');
    await call('deny');
    expect([titles, rig.session.state.rules.map(({ definition }) => definition)]).toEqual([
      [
        'sums: Add\nServer: x\nsums says of it: Adds.',
        'sums: Add\nServer: x\nsums says of it: Adds. (its server has changed this tool since it was allowed)',
      ],
      ['two'],
    ]);
  });
});

test('what a server needs must be there, and what is empty is left out where it may be', async () => {
  const sent: unknown[] = [];
  const parameters = { type: 'object', required: ['a', 'b'] };
  const servers = open(
    [view({ name: 'sums', tools: [{ name: 'add', description: '', parameters }] })],
    ({ input }) => {
      sent.push(input);
      return Promise.resolve({ status: 'done', content: [] });
    },
  );
  await withRig(servers, async (rig) => {
    const turn = await rig.prompt('tool sums__add {"c":1}\ntool sums__add {"a":"","b":2,"c":"","d":0}');
    const [first] = turn.items.filter((each): each is ToolItem => each.type === 'tool');
    expect(first?.result).toMatchObject({ status: 'failed', error: 'INVALID_ARGS: missing: a, b' });
    expect(sent).toEqual([{ a: '', b: 2, d: 0 }]);
  });
});

test('a question of the server goes to the user', async () => {
  const servers = open([sums], async ({ ask }) => {
    const answer = await ask?.('How many?', [{ id: 'n', message: 'n', answer: { type: 'integer' } }]);
    return { status: 'done', content: [{ type: 'text', text: JSON.stringify(answer) }] };
  });
  await withRig(servers, async (rig) => {
    rig.start('tool sums__add {}');
    const answer = async (
      kind: 'approval' | 'question',
      given: Parameters<typeof rig.session.dispatch>[0] & { kind: 'answer' },
    ) => {
      await until(rig.session, () => Object.values(rig.chat().asks).some(({ ask }) => ask.kind === kind));
      rig.session.dispatch({ ...given, ask: Object.keys(rig.chat().asks)[0] ?? '' }, { kind: 'host' });
    };
    const base = { kind: 'answer', chat: rig.session.id, ask: '' } as const;
    await answer('approval', { ...base, answer: { kind: 'option', option: 'allow' } });
    await answer('question', { ...base, answer: { kind: 'fields', values: { n: 4 } } });
    await until(rig.session, () => rig.chat().turns.length === 1);
    const item = rig.chat().turns[0]?.items.find((each): each is ToolItem => each.type === 'tool');
    expect(item?.result).toMatchObject({
      status: 'done',
      content: [{ text: '{"kind":"fields","values":{"n":4}}' }],
    });
  });
});

test('tools that come during a turn are there with its next step', async () => {
  const tools = ['grow'].map(named);
  const servers = open([view({ name: 'late', tools })], () => {
    if (tools.length === 1) tools.push(named('grown'));
    return Promise.resolve({ status: 'done', content: [{ type: 'text', text: 'yes' }] });
  });
  await withRig(servers, async (rig) => {
    const turn = await rig.prompt('tool late__grown {}\ntool late__grow {}\ntool late__grown {}');
    const calls = turn.items.flatMap((each) =>
      each.type === 'tool' ? [[each.name, each.source, each.result?.status]] : [],
    );
    expect(calls).toEqual([
      ['late__grown', 'nobody', 'failed'],
      ['late__grow', 'mcp', 'done'],
      ['late__grown', 'mcp', 'done'],
    ]);
  });
});
