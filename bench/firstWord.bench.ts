// The delay of an answer's first word, compared with the minimum: writing the message to disk and sending a
// bare request to the same provider. Uses real sockets and the real store.
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nativeAgent } from '../src/agents/native/agent.ts';
import { providerOf } from '../src/agents/native/models/providers/providers.ts';
import { remoteModel } from '../src/agents/native/models/remoteModel.ts';
import { Host } from '../src/host/host.ts';
import type { Session } from '../src/host/session/session.ts';
import { files } from '../src/io/files/workspace.ts';
import { openLogger } from '../src/io/diagnostics/logger.ts';
import { processes } from '../src/io/processes/shellCommands.ts';
import { openWorld, realClock } from '../src/io/store/realWorld.ts';
import { isRejection } from '../src/model/command.ts';
import { fakeProvider } from '../test/kit/fakeProvider.ts';
import { median, print, record, temporary } from './kit.ts';

/** Limits of the median delay: milliseconds, or on a busy machine a multiple of the minimum. */
const most = 10;
const mostTimes = 4;
const turns = 60;

const place = temporary();
const kept = openSync(join(place.dir, 'bare'), 'a');
const provider = await fakeProvider();
provider.reply = () => [{ text: 'One two three.' }];
const world = await openWorld({ directory: place.dir, logger: openLogger({ level: 'error' }) });
const known = providerOf('anthropic');
if (!known) throw new Error('no provider');
const usable = {
  usable: true,
  url: `${provider.url}/v1`,
  key: 'k',
  keyFrom: undefined,
  wire: known.wire,
  models: [],
} as const;
const { titles: _, ...model } = remoteModel({
  provider: known,
  model: 'claude-sonnet-5',
  clock: realClock,
  access: () => usable,
  fetch: globalThis.fetch,
});
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
const session = host.create({ roots: [place.dir] }, { kind: 'host' });
if (isRejection(session)) throw new Error(session.message);
await session.settled();

// The bare request has the same body as the agent's.
const cold = await ours(session, 0);
const body = JSON.stringify(provider.requests.at(-1)?.body);
await bare(body);
const times: { readonly bare: number; readonly ours: number }[] = [];
for (let turn = 1; turn <= turns; turn += 1)
  times.push({ bare: await bare(body), ours: await ours(session, turn) });
const floor = median(times.map((each) => each.bare));
const added = median(times.map((each) => each.ours - each.bare));
print(
  `first word: bare ${floor.toFixed(1)} ms, ${added.toFixed(1)} ms later in the session (at most ` +
    `${most}, or ${mostTimes}x); ${(cold - floor).toFixed(0)} ms later in the first turn of a process`,
);
record({ name: 'firstWord: in a session', unit: 'ms', floor, parley: floor + added });
await host.close();
await provider.close();
place.remove();
process.exit(added > Math.max(most, mostTimes * floor) ? 1 : 0);

/** Milliseconds until the first word of an answer has arrived. */
async function bare(sent: string): Promise<number> {
  const began = performance.now();
  writeSync(kept, sent);
  fsyncSync(kept);
  const response = await fetch(`${provider.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: sent,
  });
  const decoder = new TextDecoder();
  let text = '';
  let first: number | undefined;
  const stream: AsyncIterable<Uint8Array> | null = response.body;
  if (!stream) throw new Error('nothing came');
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('text_delta')) first ??= performance.now() - began;
  }
  if (first === undefined) throw new Error('no word came');
  return first;
}

/** Milliseconds from the message to the first word that everybody may see. */
function ours(on: Session, count: number): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now();
    let first = 0;
    const leave = on.follow((steps) => {
      if (first === 0 && steps.some(({ entry }) => entry.event.kind === 'text.added'))
        first = performance.now() - began;
      if (!steps.some(({ entry }) => entry.event.kind === 'turn.ended')) return;
      leave();
      resolve(first);
    });
    on.dispatch(
      { kind: 'startTurn', chat: on.id, turn: `t${count}`, message: { id: `m${count}`, text: 'hi' } },
      { kind: 'host' },
    );
  });
}
