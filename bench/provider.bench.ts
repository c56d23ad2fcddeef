// The cost of one streamed word from the provider's bytes to an entry of the session, compared with the bare
// parse of the same bytes. Storing is not included.
import { nativeAgent } from '../src/agents/native/agent.ts';
import type { LanguageModel } from '../src/agents/native/model.ts';
import { providerOf } from '../src/agents/native/models/providers/providers.ts';
import { remoteModel } from '../src/agents/native/models/remoteModel.ts';
import { Host } from '../src/host/host.ts';
import type { Batch } from '../src/host/session/logStore.ts';
import { files } from '../src/io/files/workspace.ts';
import { processes } from '../src/io/processes/shellCommands.ts';
import { realClock } from '../src/io/store/realWorld.ts';
import { isRejection } from '../src/model/command.ts';
import { testWorld } from '../test/kit/host.ts';
import { MemoryStore } from '../test/kit/memoryStore.ts';
import { wire as anthropicWire } from '../test/kit/provider/wires/anthropic.ts';
import { look } from '../test/kit/provider/json.ts';
import { wire as ollamaWire } from '../test/kit/provider/wires/ollama.ts';
import { wire as openaiChatWire } from '../test/kit/provider/wires/openaiChat.ts';
import { wire as openaiResponsesWire } from '../test/kit/provider/wires/openaiResponses.ts';
import { wire as googleWire } from '../test/kit/provider/wires/google.ts';
import { usualTokens } from '../test/kit/provider/reply.ts';
import type { Wire } from '../test/kit/provider/reply.ts';
import { median, print } from './kit.ts';

/** Limit: cost relative to the bare parse. */
const most = 3;
const deltas = 20_000;
const rounds = 5;

/** How words arrive: several per read, one per read, or one per cycle of the event loop. */
const forms = [
  { name: 'four words a read', together: 4, beats: 'none' },
  { name: 'one word a read', together: 1, beats: 'none' },
  { name: 'one word a beat', together: 1, beats: 'each' },
] as const;

type Form = (typeof forms)[number];

const all: readonly (readonly [provider: string, model: string, wire: Wire])[] = [
  ['anthropic', 'claude-sonnet-5', anthropicWire],
  ['openai', 'gpt-5.2', openaiResponsesWire],
  ['google', 'gemini-3-flash-preview', googleWire],
  ['deepseek', 'deepseek-chat', openaiChatWire],
  ['ollama', 'fake', ollamaWire],
];

/** Stores nothing: the test store copies every entry, which no real store does. */
class BareStore extends MemoryStore {
  override write(_: Batch): void {}
}

let over = 0;
for (const form of forms) {
  print(`${form.name}:`);
  for (const each of all) if ((await measure(each, form)) > most) over += 1;
}
process.exit(over > 0 ? 1 : 0);

async function measure([id, model, wire]: (typeof all)[number], form: Form): Promise<number> {
  const body = bodies(answer(wire, form.together), form);
  const streamed = modelOf(id, model, body);
  const cost = { bare: [] as number[], model: [] as number[], session: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const measured = {
      bare: await time(() => parse(body())),
      model: await time(() => read(streamed)),
      session: await prompt(streamed),
    };
    // The first round only warms up.
    if (round > 0) for (const name of ['bare', 'model', 'session'] as const) cost[name].push(measured[name]);
  }
  const [bare, asModel, asEntry] = [median(cost.bare), median(cost.model), median(cost.session)];
  print(
    `  ${id.padEnd(10)} bare parse ${bare.toFixed(1)} µs, as parts ${asModel.toFixed(1)} µs, in the ` +
      `session ${asEntry.toFixed(1)} µs per word: ${(asEntry / bare).toFixed(1)}x (parts ` +
      `${(asModel / bare).toFixed(1)}x)`,
  );
  return asEntry / bare;
}

/** The bytes of one long answer. */
function answer(wire: Wire, together: number): readonly Uint8Array[] {
  const speaker = wire.speaker(
    wire.ask(look({ model: 'm', messages: [], contents: [] }), '/models/m:stream'),
  );
  const frames = [
    ...speaker.open(usualTokens),
    ...Array.from({ length: deltas }, (_, at) => speaker.text(`word${at} `)).flat(),
    ...speaker.close('stop', usualTokens),
  ];
  const encoder = new TextEncoder();
  return Array.from({ length: Math.ceil(frames.length / together) }, (_, at) =>
    encoder.encode(frames.slice(at * together, (at + 1) * together).join('')),
  );
}

/** The same answer, as often as somebody asks. */
function bodies(chunks: readonly Uint8Array[], { beats }: Form): () => ReadableStream<Uint8Array> {
  return () => {
    let at = 0;
    return new ReadableStream({
      async pull(controller) {
        if (beats === 'each')
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        const chunk = chunks[at];
        at += 1;
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
  };
}

/** The least that anybody has to do: decode, cut into lines, parse each. */
async function parse(body: ReadableStream<Uint8Array>): Promise<number> {
  const decoder = new TextDecoder();
  let rest = '';
  let found = 0;
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const json = line.startsWith('data: ') ? line.slice(6) : line;
      if (json.startsWith('{') && typeof JSON.parse(json) === 'object') found += 1;
    }
  }
  return found;
}

function modelOf(id: string, model: string, body: () => ReadableStream<Uint8Array>): LanguageModel {
  const provider = providerOf(id);
  if (!provider) throw new Error(`no provider ${id}`);
  const usable = {
    usable: true,
    url: 'http://127.0.0.1:1/v1',
    key: 'k',
    keyFrom: undefined,
    wire: provider.wire,
    models: [],
  } as const;
  const { titles: _, ...made } = remoteModel({
    provider,
    model,
    clock: realClock,
    access: () => usable,
    fetch: () => Promise.resolve(new Response(body())),
  });
  return made;
}

async function read(model: LanguageModel): Promise<number> {
  let text = '';
  const content = [{ type: 'text', text: 'hi' }] as const;
  for await (const part of model.stream({
    system: 's',
    messages: [{ role: 'user', content }],
    start: 0,
    tools: [],
    roots: [],
    signal: new AbortController().signal,
  })) {
    if (part.type === 'text') text += part.text;
  }
  if (!text.endsWith(`word${deltas - 1} `)) throw new Error('words are missing');
  return text.length;
}

async function prompt(model: LanguageModel): Promise<number> {
  const world = { ...testWorld(new BareStore()), clock: realClock };
  const agent = nativeAgent({
    models: [model],
    files: files(),
    processes: processes({}),
    ids: world.ids,
    clock: realClock,
    report: (problem) => {
      throw problem;
    },
  });
  const host = await Host.start(world, [agent]);
  const session = host.create({ roots: ['/w'] }, { kind: 'host' });
  if (isRejection(session)) throw new Error(session.message);
  await session.settled();
  const cost = await time(
    () =>
      new Promise<void>((resolve) => {
        session.follow((steps) => {
          if (steps.some(({ entry }) => entry.event.kind === 'turn.ended')) resolve();
        });
        session.dispatch(
          { kind: 'startTurn', chat: session.id, turn: 't', message: { id: 'm', text: 'hi' } },
          { kind: 'host' },
        );
      }),
  );
  const [item] = session.state.chats[session.id]?.turns[0]?.items ?? [];
  if (item?.type !== 'text' || !item.text.endsWith(`word${deltas - 1} `))
    throw new Error('words are missing');
  await host.close();
  return cost;
}

/** Microseconds of CPU per word. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / deltas;
}
