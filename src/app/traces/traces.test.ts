// Traces of turns, sent to a collector on this machine: what arrives, and that nothing of the content does.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { eventually } from '../../../test/kit/patience.ts';
import type { Loose } from '../../../test/kit/wire.ts';
import { SpanExporter } from './spanExporter.ts';
import { startTraces } from './startTraces.ts';
import type { TraceSpan } from './turnSpans.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

test('a turn and its calls arrive without a word of what was said or done', async () => {
  const collector = await startCollector();
  const on = await newRig();
  const stop = startTraces(on.host, {
    fetch,
    address: () => `${collector.address}/`,
    version: '0',
    pause: 1,
  });
  on.scripts.set('*', async (turn) => {
    turn.report({ kind: 'text.added', item: 'secret-item', channel: 'answer', text: 'a secret answer' });
    turn.report({ kind: 'tool.started', tool: 'secret-call', ...secretCall });
    turn.report({ kind: 'tool.running', tool: 'secret-call', basis: { how: 'agent' } });
    turn.report({
      kind: 'tool.ended',
      tool: 'secret-call',
      result: { status: 'failed', content: [], error: 'a secret error' },
    });
    turn.report({ kind: 'usage.reported', usage: { input: 11, output: 7, model: 'secret/model' } });
    return { kind: 'completed' };
  });
  const session = await on.create('secret-session');
  const message = { id: 'secret-message', text: 'a secret prompt', attachments: [] };
  const [chat = ''] = session.state.order;
  session.dispatch({ kind: 'startTurn', chat, turn: 'secret-turn', message }, testClient);
  await until(session, ({ chats }) => chats[chat]?.turns.length === 1);
  await eventually(() => collector.spans().length === 2, 'two spans');
  const [turn, tool] = collector.spans();
  expect(collector.requests.map(({ path, type }) => [path, type])).toEqual([
    ['/v1/traces', 'application/json'],
  ]);
  expect([turn?.name, valuesOf(turn)]).toEqual([
    'turn',
    {
      'parley.session': expect.stringMatching(/^[0-9a-f]{16}$/),
      'parley.turn.outcome': 'completed',
      'parley.turn.items': '2',
      'parley.turn.tools': '1',
      'parley.turn.characters': '15',
      'parley.turn.input_tokens': '11',
      'parley.turn.output_tokens': '7',
    },
  ]);
  expect([tool?.name, valuesOf(tool), tool?.status.code]).toEqual([
    'tool',
    expect.objectContaining({ 'parley.tool.kind': 'execute', 'parley.tool.status': 'failed' }),
    2,
  ]);
  expect([tool?.traceId, tool?.parentSpanId]).toEqual([turn?.traceId, turn?.spanId]);
  expect(BigInt(turn?.endTimeUnixNano ?? 0) >= BigInt(turn?.startTimeUnixNano ?? 1)).toBe(true);
  expect(collector.requests.map(({ text }) => text).join('')).not.toMatch(/secret|\/w\b|Script/);
  await stop();
});

test('nothing is sent without an address', async () => {
  const asked: unknown[] = [];
  const exporter = new SpanExporter({
    fetch: async (...request) => {
      asked.push(request);
      return new Response();
    },
    address: () => undefined,
    version: '0',
    report: (problem) => asked.push(problem),
    pause: 0,
  });
  exporter.add([span(1)]);
  await exporter.close();
  expect(asked).toEqual([]);
});

test('a collector that is away costs no memory, and is reported once', async () => {
  const problems: string[] = [];
  const collector = await startCollector(503);
  const exporter = new SpanExporter({
    fetch,
    address: () => collector.address,
    version: '0',
    report: (problem) => problems.push(String(problem)),
    pause: 0,
  });
  exporter.add(Array.from({ length: 5_000 }, (_, n) => span(n)));
  await eventually(() => exporter.dropped === 5_000, 'the end of the queue');
  expect([problems, collector.requests.length]).toEqual([
    ['Error: Traces are not sent: The collector answered with 503.'],
    4,
  ]);
  expect(collector.spans()[0]?.spanId).toBe('2952');
  await exporter.close();
});

const secretCall = {
  name: 'secret_tool',
  title: 'rm /secret/path',
  toolKind: 'execute',
  source: 'agent',
} as const;

function span(n: number): TraceSpan {
  return {
    traceId: '0',
    spanId: String(n),
    name: 'turn',
    kind: 1,
    startTimeUnixNano: '0',
    endTimeUnixNano: '0',
    attributes: [],
    status: { code: 0 },
  };
}

function valuesOf(one: TraceSpan | undefined): Loose {
  return Object.fromEntries(
    (one?.attributes ?? []).map(({ key, value }) => [
      key,
      'intValue' in value ? value.intValue : value.stringValue,
    ]),
  );
}

async function newRig(): Promise<Rig> {
  const made = await rig();
  open.push(made);
  return made;
}

async function startCollector(status = 200) {
  const requests: { readonly path: string; readonly type: string; readonly text: string }[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', type: request.headers['content-type'] ?? '', text });
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.close() });
  const place = server.address();
  const spans = () =>
    requests.flatMap(({ text }) => JSON.parse(text).resourceSpans[0].scopeSpans[0].spans as TraceSpan[]);
  return { address: `http://127.0.0.1:${typeof place === 'object' ? place?.port : 0}`, requests, spans };
}
