// A turn with a model over HTTP, paced, in a burst and with tools, in the real program: the delay of the
// request (G3), of each word (G4) and of the end (G5), the CPU time of a word (G6) and a round of tools
// (G17), compared with the smallest agent that joins, journals and syncs as we do. Prints figures; has no
// limit.
import { benchAgents } from './agents.ts';
import type { AgentName } from './agents.ts';
import type { Editor } from './editor.ts';
import { median, print, quantile, record, temporary } from './kit.ts';
import { pacedModel } from './model.ts';

const rounds = 2;
/** After so many prompts an agent is warm, and so many short ones tell when the request leaves. */
const warmUps = 20;
const prompts = 20;
const words = 150;
const pause = 20;
const burst = 5_000;
const tools = 20;

type Figures = { [name: string]: { unit: string; readonly of: { [agent in AgentName]?: number[] } } };

const { dir, remove } = temporary();
const model = await pacedModel();
const agents = benchAgents(dir, model);
const figures: Figures = {};
const editors = new Map<AgentName, { readonly editor: Editor; readonly session: string }>();
for (const name of agents.names) {
  const editor = await agents.start(name);
  const session = await editor.open(agents.work);
  for (let n = 0; n < warmUps; n += 1) await editor.prompt(session, 'paced 10 2');
  editors.set(name, { editor, session });
}
for (let round = 0; round < rounds; round += 1)
  for (const [name, { editor, session }] of editors) await measure(name, editor, session);
for (const { editor } of editors.values()) await editor.close();
model.close();
remove();
for (const [name, { unit, of }] of Object.entries(figures)) {
  const [floor, parley, peer] = [of.floor, of.parley, of.peer].map((all) => (all ? median(all) : undefined));
  if (parley === undefined || floor === undefined) continue;
  record({ name: `stream: ${name}`, unit, floor, parley, ...(peer === undefined ? {} : { peer }) });
  print(`${name.padEnd(34)} floor ${floor.toFixed(2)} ${unit}, Parley ${parley.toFixed(2)} ${unit}`);
}

async function measure(name: AgentName, editor: Editor, session: string): Promise<void> {
  const add = (what: string, unit: string, value: number) => {
    const figure = (figures[what] ??= { unit, of: {} });
    (figure.of[name] ??= []).push(value);
  };
  const asked: number[] = [];
  for (let n = 0; n < prompts; n += 1) asked.push((await turn(editor, session, 'paced 10 2')).untilAsked);
  add('prompt to request (G3)', 'ms', median(asked));
  const paced = await turn(editor, session, `paced ${words} ${pause}`);
  add('paced, first word (G4)', 'ms', paced.lags[0] ?? Number.NaN);
  add('paced, lag p50 (G4)', 'ms', quantile(paced.lags, 0.5));
  add('paced, lag p99 (G4)', 'ms', quantile(paced.lags, 0.99));
  add('paced, last word to end (G5)', 'ms', paced.afterLast);
  add('paced, CPU per word (G6)', 'us', (paced.cpu / words) * 1000);
  const fast = await turn(editor, session, `burst ${burst}`);
  if (fast.lags.length !== burst) throw new Error(`${name} lost ${burst - fast.lags.length} words`);
  add('burst, CPU per word (G6)', 'us', (fast.cpu / burst) * 1000);
  const round = await turn(editor, session, `tools ${tools}`);
  add('round of tools (G17)', 'ms', round.taken / tools);
  add('round of tools, CPU (G17)', 'ms', round.cpu / tools);
}

async function turn(editor: Editor, session: string, text: string) {
  editor.arrivals = [];
  const before = { cpu: editor.cpu, asked: model.asked.length, at: performance.now() };
  await editor.prompt(session, text);
  const ended = performance.now();
  // A piece has the times of one word or more.
  const lags = editor.arrivals.flatMap(({ at, text: said }) =>
    said.split(' ').flatMap((word) => (word === '' ? [] : [at - Number(word)])),
  );
  return {
    lags,
    cpu: editor.cpu - before.cpu,
    taken: ended - before.at,
    untilAsked: (model.asked[before.asked] ?? Number.NaN) - before.at,
    afterLast: ended - (editor.arrivals.at(-1)?.at ?? Number.NaN),
  };
}
