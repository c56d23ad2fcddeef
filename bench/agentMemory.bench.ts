// What finished sessions of an external agent leave in memory: `parley run` once, and then until there are
// twenty sessions, against one host; each time the resident memory of the host and of all that it started,
// when the runs are over and a program that has grown was let go. The agents are a small one and, where it is
// installed, opencode as published with a model of ours.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processMemory } from '../src/io/processes/processMemory.ts';
import { processTable, withDescendants } from '../src/io/processes/processTable.ts';
import { fakeProvider } from '../test/kit/fakeProvider.ts';
import { newHome } from '../test/kit/parley.ts';
import type { Home } from '../test/kit/parley.ts';
import { realAgents } from '../test/realAgents/agents.ts';
import type { RealAgent } from '../test/realAgents/agents.ts';
import { install } from '../test/realAgents/install.ts';
import { print, record } from './kit.ts';

const sessions = 20;

/** In milliseconds; longer than a program that has grown may rest. */
const settle = 45_000;

const smallAgent = `
let made = 0;
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const results = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({ sessionId: String((made += 1)) }),
  'session/prompt': ({ sessionId }) => {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.' } };
    send({ method: 'session/update', params: { sessionId, update } });
    return { stopReason: 'end_turn' };
  },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) send({ id, result: results[method]?.(params) ?? {} });
}).on('close', () => process.exit(0));
`;

const opencode = resolve(`test/realAgents/node_modules/opencode-linux-${process.arch}/bin/opencode`);
const published = realAgents.filter(({ id }) => id === 'opencode' && existsSync(opencode));

await measure('small', async (home) => {
  await home.run('agents', 'add', 'small', '--', process.execPath, '-e', smallAgent).done;
});
for (const agent of published) await measureReal({ ...agent, program: [opencode] });

async function measureReal(agent: RealAgent): Promise<void> {
  const model = await fakeProvider();
  await measure(agent.id, (home) => Promise.resolve(install(agent, home, model.url)));
  await model.close();
}

async function measure(id: string, prepare: (home: Home) => Promise<void>): Promise<void> {
  const home = newHome(resolve('bin/parley.js'));
  try {
    await prepare(home);
    const { pid } = await home.serve();
    await finish(home, id, 1);
    const one = await memoryAtRest(pid);
    await finish(home, id, sessions - 1);
    const busy = await memoryOf(pid);
    const all = await memoryAtRest(pid);
    const processes = withDescendants(await processTable(), [pid]).length - 1;
    print(
      `${id}: ${one.toFixed(0)} MiB after one session; after ${sessions}: ${busy.toFixed(0)} MiB at once, ` +
        `${all.toFixed(0)} MiB when they rest, with ${processes} processes`,
    );
    record({ name: `agentMemory: ${id}, ${sessions} sessions`, unit: 'MiB', floor: one, parley: all });
  } finally {
    await home.dispose();
  }
}

/** Prompts that many sessions, one after the other, and leaves each. */
async function finish(home: Home, id: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const { code, err } = await home.run('run', '--agent', id, '--cwd', home.workspace, 'Say hello').done;
    if (code !== 0) throw new Error(`parley run ended with ${String(code)}: ${err}`);
  }
}

async function memoryAtRest(pid: number): Promise<number> {
  await pause(settle);
  return memoryOf(pid);
}

async function memoryOf(pid: number): Promise<number> {
  return ((await processMemory(pid)) ?? Number.NaN) / 1_048_576;
}
