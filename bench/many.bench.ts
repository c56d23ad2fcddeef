// Many sessions that stream at once in the real program (G10), and what the program needs before that: until
// its first session is ready (G2), memory (G13) and CPU time while nothing happens (G14). Compared with the
// smallest agent that does the same work. Prints figures; has no limit.
import { setTimeout as wait } from 'node:timers/promises';
import { benchAgents } from './agents.ts';
import type { AgentName } from './agents.ts';
import type { Editor } from './editor.ts';
import { print, quantile, record, temporary } from './kit.ts';
import { pacedModel } from './model.ts';

const sizes = [64, 256];
/** Three seconds with 50 words each. */
const words = 150;
const pause = 20;
/** What a first turn leaves to do once is done after this time. */
const settleSeconds = 10;
const idleSeconds = 5;

const { dir, remove } = temporary();
const model = await pacedModel();
const agents = benchAgents(dir, model);
const figures = new Map<string, { readonly unit: string; of: { [agent in AgentName]?: number } }>();
for (const name of agents.names) await measure(name);
model.close();
remove();
for (const [name, { unit, of }] of figures) {
  const { floor, parley, peer } = of;
  if (floor === undefined || parley === undefined) continue;
  record({ name: `many: ${name}`, unit, floor, parley, ...(peer === undefined ? {} : { peer }) });
  print(`${name.padEnd(34)} floor ${floor.toFixed(2)} ${unit}, Parley ${parley.toFixed(2)} ${unit}`);
}

async function measure(name: AgentName): Promise<void> {
  const add = (what: string, unit: string, value: number) => {
    const figure = figures.get(what) ?? { unit, of: {} };
    figures.set(what, figure);
    figure.of[name] = value;
  };
  const began = performance.now();
  const editor = await agents.start(name);
  const sessions = [await editor.open(agents.work)];
  add('until a session is ready (G2)', 'ms', performance.now() - began);
  add('memory with a session (G13)', 'MiB', editor.memory);
  await editor.prompt(sessions[0] ?? '', 'paced 10 2');
  await wait(settleSeconds * 1_000);
  const cpu = editor.cpu;
  await wait(idleSeconds * 1_000);
  add('idle, CPU per second (G14)', 'ms', (editor.cpu - cpu) / idleSeconds);
  for (const size of sizes) {
    while (sessions.length < size) sessions.push(await editor.open(agents.work));
    const { cores, lags } = await streamAll(editor, sessions);
    if (lags.length !== size * words) throw new Error(`${name} lost ${size * words - lags.length} words`);
    add(`${size} sessions, CPU (G10)`, 'cores', cores);
    add(`${size} sessions, lag p99 (G10)`, 'ms', quantile(lags, 0.99));
    add(`${size} sessions, memory (G13)`, 'MiB', editor.memory);
  }
  await editor.close();
}

/** The share is of the time that the words need at their pace, however long they took. */
async function streamAll(editor: Editor, sessions: readonly string[]) {
  editor.arrivals = [];
  const { cpu } = editor;
  await Promise.all(sessions.map((session) => editor.prompt(session, `paced ${words} ${pause}`)));
  const lags = editor.arrivals.flatMap(({ at, text }) =>
    text.split(' ').flatMap((word) => (word === '' ? [] : [at - Number(word)])),
  );
  return { lags, cores: (editor.cpu - cpu) / (words * pause) };
}
