// Several machines on one PostgreSQL: sessions stream through all doors while hosts are killed and frozen,
// the database is killed, and links are cut. Of everything that any client was shown nothing is lost, doubled
// or changed; numbers only grow; no command runs twice; nobody stores anything without a lease.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause } from '../kit/living.ts';
import { eventually } from '../kit/patience.ts';
import { startPostgres } from '../kit/postgres.ts';
import type { PostgresServer } from '../kit/postgres.ts';
import type { Loose } from '../kit/wire.ts';
import {
  countOf,
  expectFenced,
  expectSound,
  hasLease,
  takeovers,
  unfinished,
  watchDatabase,
  workOf,
} from './manyHosts/audit.ts';
import { acpEditorOn, ecaEditor } from './manyHosts/editors.ts';
import type { Editor, Shown } from './manyHosts/editors.ts';
import { Machine } from './manyHosts/machine.ts';
import { idOf, newPrompt, wholeAnswer, wordsIn } from './manyHosts/prompts.ts';
import { Roamer } from './manyHosts/roamer.ts';
import { step, tell } from './manyHosts/step.ts';
import { random, spokenOf } from './shownIsKept.ts';

/** `npm run faults:postgres` asks for more. */
const minutes = Number(process.env['PARLEY_POSTGRES_MINUTES'] ?? 0);
const hostCount = Number(process.env['PARLEY_POSTGRES_HOSTS'] ?? 3);
const sessionsPerHost = Number(process.env['PARLEY_POSTGRES_SESSIONS'] ?? 3);
const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_117);
/** Without minutes each fault happens once. */
const length = minutes > 0 ? `${minutes} minutes` : 'each fault once';

const lease = 10_000;
const database = 'hosts';
const form = { pieces: 30, pause: 120 };

let server: PostgresServer;
const machines: Machine[] = [];
const problems: string[] = [];
const times: number[] = [];
const done = { prompts: 0, faults: 0 };

beforeAll(async () => {
  server = await startPostgres([]);
  const url = server.database(database);
  for (let at = 0; at < hostCount; at += 1) machines.push(new Machine(url));
}, 120_000);
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
  await server.dispose();
});

/** The editors and clients of one machine. */
interface Desk {
  readonly machine: Machine;
  readonly editors: readonly Editor[];
  readonly roamer: Roamer;
  /** The sessions that the roamer has created. */
  readonly own: readonly string[];
  /** Shows the sessions of another machine. */
  readonly watcher: Roamer;
}

test(`all doors of several hosts: ${length}`, { timeout: 60_000 * (2 * minutes + 5) }, async () => {
  const desks = machines.map(deskOf);
  await step(
    () => 'the sessions of all editors and clients',
    () => Promise.all(desks.map(openDesk)),
  );
  const gates = new Map<string, number>();
  for (const { name, gate } of machines.map((machine) => ({ name: machine.name, gate: machine.gate() })))
    gates.set(name, await gate);
  watchDatabase(server, database, gates);
  await step(
    () => 'the sessions that other machines show',
    () => Promise.all(desks.map(({ watcher }, at) => watchAll(watcher, desks[(at + 1) % desks.length]))),
  );

  const time = { isOver: false };
  const ran = join(machines[0]?.home.dir ?? '', 'ran.txt');
  const driven = new Set<string>();
  const drive = async (session: string, prompt: (text: ReturnType<typeof newPrompt>) => Promise<void>) => {
    driven.add(session);
    for (let turn = 1; !time.isOver; turn += 1) {
      await prompt(newPrompt(`${session}.${turn}`, { ...form, ran }));
      done.prompts += 1;
    }
    driven.delete(session);
  };
  const work = desks.flatMap(({ editors, roamer, own }) => [
    ...editors.flatMap((editor) =>
      editor.sessions.map((session) => drive(session, (given) => editor.prompt(session, given))),
    ),
    ...own.map((session) => drive(session, (given) => roamer.prompt(session, given))),
  ]);
  // Whoever waits in vain for something else says so first.
  for (const each of work) each.catch(() => {});
  const tidying = setInterval(() => roamersOf(desks).forEach((each) => each.tidy()), 1_000);
  await pause(2_000);
  await doHarm(desks);
  time.isOver = true;
  await step(
    () =>
      `the last prompts of ${[...driven].join()}; unfinished in the database: ${unfinished(server, database)}`,
    () => Promise.all(work),
  );
  await judge(desks, ran);
  clearInterval(tidying);
  expect(problems).toEqual([]);
  await step(
    () => 'the end of all hosts and a look at every entry',
    () => report(desks),
  );
});

function deskOf(machine: Machine, at: number): Desk {
  const share = Math.max(1, Math.round(sessionsPerHost / 3));
  const roamer = (kind: string) => new Roamer({ id: `${kind}-${at}`, machines, at, problem });
  return {
    machine,
    editors: [
      ecaEditor({ name: `eca-${at}`, machine, problem }),
      acpEditorOn({ name: `acp-${at}`, machine, problem }),
    ],
    roamer: roamer('roamer'),
    own: Array.from({ length: Math.max(1, sessionsPerHost - 2 * share) }, (_, n) => `ahp-${at}-${n}`),
    watcher: roamer('watcher'),
  };
}

/** An editor starts the host of its machine. */
async function openDesk({ machine, editors, roamer, own }: Desk): Promise<void> {
  for (const editor of editors) await editor.begin(Math.max(1, Math.round(sessionsPerHost / 3)));
  for (const id of own) await roamer.create(id, machine.home.workspace);
}

async function watchAll(watcher: Roamer, desk: Desk | undefined): Promise<void> {
  for (const id of sessionsOf(desk)) await watcher.follow(id);
}

function sessionsOf(desk: Desk | undefined): readonly string[] {
  return desk ? [...desk.editors.flatMap(({ sessions }) => sessions), ...desk.own] : [];
}

function roamersOf(desks: readonly Desk[]): readonly Roamer[] {
  return desks.flatMap(({ roamer, watcher }) => [roamer, watcher]);
}

const faults = { killHost, freezeHost, killDatabase, cutLinks, killMachine };

async function doHarm(desks: readonly Desk[]): Promise<void> {
  const next = random(seed);
  const names = Object.keys(faults) as (keyof typeof faults)[];
  const end = Date.now() + minutes * 60_000;
  for (let at = 0; minutes > 0 ? Date.now() < end : at < names.length; at += 1) {
    const name = minutes > 0 ? names[Math.floor(next() * names.length)] : names[at];
    const victim = desks[Math.floor(next() * desks.length)];
    const known = times.length;
    if (name && victim) {
      const what = `${name} ${victim.roamer.id}`;
      await step(
        () => `the end of ${what}; unfinished in the database: ${unfinished(server, database)}`,
        () => faults[name](victim),
      );
      if (minutes > 0) tell(`${what}${figuresOf(times.slice(known))}`);
    }
    done.faults += 1;
    await pause(500 + next() * 2_500);
  }
}

/** How long takeovers took: least, median and most. */
function figuresOf(took: readonly number[]): string {
  const sorted = took.toSorted((a, b) => a - b).map((each) => (each / 1_000).toFixed(1));
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)];
  return took.length > 0 ? `: ${took.length} takeovers, ${at(0)}, ${at(0.5)}, ${at(1)} s` : '';
}

/** The editors of the machine start it again. */
async function killHost({ machine }: Desk): Promise<void> {
  const { pid } = await machine.another();
  await takenOver(machine, () => process.kill(pid, 'SIGKILL'));
  await machine.another(pid);
}

/** A host that wakes up after the end of its lease ends itself. */
async function freezeHost({ machine }: Desk): Promise<void> {
  const { pid } = await machine.another();
  await takenOver(machine, () => process.kill(pid, 'SIGSTOP'));
  await eventually(
    () => !hasLease(server, database, machine.name),
    `the end of the lease of ${machine.name}`,
  );
  process.kill(pid, 'SIGCONT');
  await machine.another(pid);
}

async function killDatabase(): Promise<void> {
  await server.kill();
  await pause(1_000);
  await server.start();
}

async function cutLinks({ machine }: Desk): Promise<void> {
  machine.shut(true);
  await pause(3_000);
  machine.shut(false);
}

/** Nobody starts the host again until others have its sessions. */
async function killMachine({ machine, editors }: Desk): Promise<void> {
  const { pid } = await machine.another();
  await Promise.all(editors.map((editor) => editor.end()));
  await takenOver(machine, () => process.kill(pid, 'SIGKILL'));
  for (const editor of editors) await editor.begin(editor.sessions.length);
}

/** Returns when others have written to all sessions in which the host was at work. */
async function takenOver({ name }: Machine, harm: () => void): Promise<void> {
  const sessions = workOf(server, database, name);
  harm();
  const since = Date.now();
  const look = async () => {
    await pause(200);
    return takeovers(server, database, { sessions, since });
  };
  times.push(...(await eventually(look, `the next owner of the sessions of ${name}`)));
}

async function judge(desks: readonly Desk[], ran: string): Promise<void> {
  const truth = new Roamer({ id: 'truth', machines, at: 0, problem });
  const answers = new Map<string, string>();
  const turns = new Map<string, readonly Loose[]>();
  for (const id of desks.flatMap(sessionsOf)) {
    const state = await step(
      () => `the end of ${id}`,
      () => endOf(truth, id),
    );
    turns.set(id, state.turns);
    answers.set(id, wordsIn(state.turns.map(spokenOf).join('')));
  }
  // A prompt whose client has given it up may have begun its turn late.
  const lines = readFileSync(ran, 'utf8').split('\n').filter(Boolean);
  const twice = lines.filter((line, at) => lines.indexOf(line) !== at);
  expect(twice, 'commands that ran twice').toEqual([]);
  for (const [id, ended] of turns) for (const turn of ended) judgeTurn(id, turn, new Set(lines));
  for (const roamer of roamersOf(desks))
    await step(
      () => `the comparison of what ${roamer.id} shows`,
      () => judgeRoamer(roamer, truth),
    );
  for (const editor of desks.flatMap(({ editors }) => editors))
    await step(
      () => `the comparison of ${editor.sessions.join()}`,
      () => judgeEditor(editor, answers),
    );
  await step(
    () => 'the end of all clients',
    () => endAll(desks, truth),
  );
}

async function endOf(truth: Roamer, id: string): Promise<Loose> {
  await truth.follow(id);
  return eventually(() => idle(truth.view(`ahp-chat:/${id}`)), `the end of ${id}`);
}

async function judgeRoamer(roamer: Roamer, truth: Roamer): Promise<void> {
  await expectSoon(
    roamer.chats.map((chat) => ({
      holds: () => JSON.stringify(roamer.view(chat)?.turns) === JSON.stringify(truth.view(chat)?.turns),
      what: () =>
        `${roamer.id} shows ${turnsOf(roamer.view(chat))} of ${chat}, kept ${turnsOf(truth.view(chat))}`,
    })),
  );
  await roamer.end();
}

async function endAll(desks: readonly Desk[], truth: Roamer): Promise<void> {
  await truth.end();
  for (const { editors } of desks) for (const editor of editors) await editor.end();
}

/** A turn that ended well has said and done all of its prompt; one that was cut, the beginning of it. */
function judgeTurn(id: string, turn: Loose, ran: ReadonlySet<string>): void {
  const whole = wholeAnswer(turn.message.text);
  if (whole === '') return;
  const said = wordsIn(spokenOf(turn));
  const isComplete = turn.state === 'complete';
  if (isComplete ? said !== whole : !whole.startsWith(said))
    problems.push(
      `${id}: ${turn.id} (${turn.state}) says ${said.length} of ${whole.length} characters: ${said}`,
    );
  if (isComplete && !ran.has(idOf(turn.message.text) ?? '')) problems.push(`${id}: ${turn.id} ran nothing`);
}

/** Each process has shown a beginning of the truth, and the last one all of it. */
async function judgeEditor({ lives, sessions }: Editor, answers: ReadonlyMap<string, string>): Promise<void> {
  const truth = (session: string) => answers.get(session) ?? '';
  const text = (shown: Shown | undefined, session: string) => wordsIn(shown?.get(session) ?? '');
  await expectSoon(
    sessions.map((session) => ({
      holds: () => text(lives.at(-1), session).length >= truth(session).length,
      what: () =>
        `the editor shows ${text(lives.at(-1), session).length} of ${truth(session).length} letters of ${session}`,
    })),
  );
  for (const shown of lives)
    for (const session of sessions)
      if (!truth(session).startsWith(text(shown, session)))
        problems.push(`${session}: ${firstDifference(text(shown, session), truth(session))}`);
}

/** Told at once: what comes later may have its cause here. */
function problem(what: string): void {
  problems.push(what);
  tell(what);
}

interface Expectation {
  readonly holds: () => boolean;
  readonly what: () => string;
}

/** What was stored is shown at once; a busy machine gets more time, for all of it together. */
async function expectSoon(expected: readonly Expectation[]): Promise<void> {
  const until = Date.now() + 60_000;
  let missing = expected.filter(({ holds }) => !holds());
  while (missing.length > 0 && Date.now() < until) {
    await pause(50);
    missing = missing.filter(({ holds }) => !holds());
  }
  for (const { what } of missing) problem(what());
}

function turnsOf(state: Loose): string {
  return state?.turns.map(({ id, state: how }: Loose) => `${id} ${how}`).join();
}

function firstDifference(shown: string, kept: string): string {
  let at = 0;
  while (shown[at] === kept[at]) at += 1;
  return `shown ${shown.slice(Math.max(0, at - 60), at + 60)}, kept ${kept.slice(Math.max(0, at - 60), at + 60)}`;
}

function idle(state: Loose): Loose {
  return state && state.activeTurn === undefined ? state : undefined;
}

async function report(desks: readonly Desk[]): Promise<void> {
  for (const machine of machines) process.kill((await machine.another()).pid, 'SIGTERM');
  const entries = expectFenced(server, database);
  await expectSound(server, database);
  const sorted = times.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  const moves = roamersOf(desks).reduce((sum, { moves: each }) => sum + each, 0);
  const summaries = countOf(server, database, 'chat.compacted');
  process.stderr.write(
    `${hostCount} hosts, ${desks.flatMap(sessionsOf).length} sessions, ${done.prompts} prompts, ${entries} entries, ` +
      `${summaries} summaries, ` +
      `${done.faults} faults; nothing lost, doubled or changed; clients changed hosts ${moves} times; ` +
      `${times.length} takeovers, p95 ${(p95 / 1_000).toFixed(1)} s\n`,
  );
  // A few takeovers beside other tests say nothing about the time.
  expect(p95, 'takeover, p95').toBeLessThan(minutes > 0 ? lease + 1_000 : Infinity);
}
