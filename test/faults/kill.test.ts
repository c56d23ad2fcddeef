// kill -9 of the host at random moments: whatever any client was shown is there again, in order, once,
// and everybody can go on. Runs on SQLite and on PostgreSQL.
import { methods } from '@agentclientprotocol/sdk';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isStopped } from '../../client/callText.ts';
import { loadDatabase, query } from '../../src/io/store/sqlite/database.ts';
import { reducers } from '../../src/protocols/ahp/v1_0/reduce.ts';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AcpEditor, AhpClient } from '../kit/clients.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Served } from '../kit/parley.ts';
import type { Loose, Wire } from '../kit/wire.ts';
import { isOnPostgres } from '../kit/testStore.ts';
import { expectKept, problemsInLog, random, send, spokenOf, toolOf } from './shownIsKept.ts';

const home = newHome();
afterAll(() => home.dispose());

/** `npm run faults:kill` asks for more. */
const rounds = Number(process.env['PARLEY_KILL_ROUNDS'] ?? 60);

/** Found on no other command line of this machine. */
const marker = `31.${process.pid}`;
const command = `echo started; sleep ${marker}; echo never`;
const longStream = 'stream 50 word\npause 5\n'.repeat(400);
const writeFile = 'tool write_file {"path":"x.txt","content":"x"}';

interface Moment {
  /** Directives of the scripted model. */
  readonly prompt: string;
  /** A turn that is over before. */
  readonly before?: string;
  /** Whether the chat has come to the moment. */
  readonly reached: (state: Loose) => boolean;
  readonly approve?: true;
  /** The turn has ended before the kill, which comes while the host packs its pieces, this many ms later. */
  readonly packing?: { readonly from: number; readonly to: number };
  /** The host gets SIGTERM first, so that it dies while it moves its write-ahead log into the database. */
  readonly closing?: true;
  /** The possible states of the tool calls in the end, joined; a 'stopped' one was cut off with output. */
  readonly tools: readonly string[];
}

const moments: { readonly [name: string]: Moment } = {
  stream: {
    prompt: `reason Let me think.\n${longStream}`,
    reached: (state) => state.activeTurn?.responseParts.length > 1,
    tools: [''],
  },
  tool: {
    prompt: `say I will run it.\ntool shell_command {"command":"${command}"}`,
    reached: isAsking,
    approve: true,
    // A call that has shown something keeps it.
    tools: ['cancelled', 'stopped'],
  },
  ask: { prompt: `say May I?\n${writeFile}`, reached: isAsking, tools: ['cancelled'] },
  compaction: {
    before: 'say A first answer.\nsay It is long enough for a summary.',
    prompt: `/compact\npause 45\ntool compact_chat {"summary":"${'All of it. '.repeat(200)}"}`,
    reached: (state) => state.activeTurn !== undefined || state.turns.length > 1,
    tools: ['', 'cancelled', 'completed'],
  },
  closing: {
    prompt: longStream,
    reached: (state) => state.activeTurn?.responseParts.length > 0,
    closing: true,
    tools: [''],
  },
  packing: {
    prompt: 'stream 2 word\npause 1\n'.repeat(300),
    reached: (state) => state.turns.length === 1,
    packing: { from: 450, to: 700 },
    tools: [''],
  },
};

function isAsking(state: Loose): boolean {
  return toolOf(state)?.status === 'pending-confirmation';
}

async function start(ahp: AhpClient, session: string, moment: Moment): Promise<string> {
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  if (moment.before !== undefined) {
    send(ahp, chat, [`${session}#0`, moment.before]);
    await ahp.until(chat, (state) => state.turns.length === 1);
  }
  send(ahp, chat, [`${session}#1`, moment.prompt]);
  const state = await ahp.until(chat, moment.reached);
  if (moment.approve) {
    const { toolCallId, options } = toolOf(state);
    ahp.dispatch(chat, {
      type: 'chat/toolCallConfirmed',
      turnId: state.activeTurn.id,
      toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: options[0].id,
    });
  }
  return chat;
}

/** Command lines of living processes that contain a word; a zombie has none. */
function processesWith(word: string): readonly string[] {
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
  return lines.filter((line) => line.includes(word));
}

/** Clients of the other protocols that watch, and what they were shown. */
class Witnesses {
  #eca: Wire | undefined;
  #acp: AcpEditor | undefined;

  async come(sessionId: string): Promise<void> {
    this.#eca = await ecaClient(home);
    await this.#eca.request('chat/open', { chatId: sessionId });
    this.#acp = await acpEditor(home);
    await this.#acp.agent.request(methods.agent.session.load, {
      sessionId,
      cwd: home.workspace,
      mcpServers: [],
    });
  }

  async leave(): Promise<{ readonly eca: string; readonly acp: string }> {
    await this.#eca?.peer.closed;
    const eca = (this.#eca?.said ?? []).flatMap(({ method, params }) =>
      method === 'chat/contentReceived' && params.role === 'assistant' && params.content.type === 'text'
        ? [params.content.text]
        : [],
    );
    const acp = (this.#acp?.updates ?? []).flatMap(({ update }: Loose) =>
      update.sessionUpdate === 'agent_message_chunk' ? [update.content.text] : [],
    );
    await this.#acp?.close();
    return { eca: eca.join('').trimStart(), acp: acp.join('') };
  }
}

/** A client that comes back has seen each number once and in order, and ends with the state of a new one. */
async function expectResumed(host: Served, ahp: AhpClient, { session, chat, now, about }: Loose) {
  const resumed: Loose = await ahpClient(host, {
    clientId: (ahp as Loose).clientId,
    lastSeenServerSeq: ahp.last(),
    subscriptions: [session, chat],
  });
  const isReplay = resumed.resumed.type === 'replay';
  const replayed: readonly Loose[] = isReplay ? resumed.resumed.actions : [];
  let again = ahp.states.get(chat);
  for (const envelope of replayed)
    if (envelope.channel === chat) again = reducers.chat(again, envelope.action as never);
  expect(isReplay ? again : resumed.states.get(chat), `${about}: reconnect`).toEqual(now);
  const seqs = [...ahp.seqs, ...replayed.map(({ serverSeq }) => serverSeq)];
  expect(seqs, about).toEqual(seqs.toSorted((a, b) => a - b));
  expect(new Set(seqs).size, about).toBe(seqs.length);
  await resumed.close();
}

/** What was seen of the rounds, so that a run shows what it covered. */
const counts: { [what: string]: number } = {};
const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1);

const log = () => join(String(home.env['PARLEY_HOME']), 'log.db');

/** Kills the host while it runs or while it closes, and says what it was doing. */
async function kill(host: Served, moment: Moment, wait: number): Promise<void> {
  if (!moment.closing) {
    await pause(wait);
    return host.kill();
  }
  const before = isOnPostgres ? 0 : statSync(log()).mtimeMs;
  const ended = host.kill('SIGTERM');
  await pause(wait);
  await Promise.all([ended, host.kill()]);
  if (isOnPostgres) return;
  const wal = existsSync(`${log()}-wal`) && statSync(`${log()}-wal`).size > 0;
  count(`closing: ${statSync(log()).mtimeMs === before ? 'not moved' : wal ? 'being moved' : 'moved'}`);
}

/** How many rows have the pieces of a session. */
async function countPacked(session: string): Promise<void> {
  const database = (await loadDatabase())(log(), { readOnly: true });
  const [packed, alone] = query(
    database,
    "SELECT sum(event LIKE '{\"packed%'), sum(event LIKE '%text.added%' AND event NOT LIKE '{\"packed%') " +
      'FROM entries WHERE session = ?',
  )(session)[0] ?? [0, 0];
  database.close();
  const someAlone = Number(alone) > 50 ? 'in part' : 'all';
  count(`packing: ${Number(packed) > 0 ? someAlone : 'nothing yet'}`);
}

/** A host that is killed while it starts is no obstacle to the next. */
async function killedStart(wait: number): Promise<void> {
  const { child, done } = home.run('serve', '--port', '0', '--no-open');
  await pause(wait);
  child.kill('SIGKILL');
  await done;
  count('starts killed');
}

/** The open approval has survived; it is answered here. */
async function refuse(ahp: AhpClient, chat: string, state: Loose): Promise<Loose> {
  ahp.dispatch(chat, {
    type: 'chat/toolCallConfirmed',
    turnId: state.activeTurn.id,
    toolCallId: toolOf(state).toolCallId,
    approved: false,
    reason: 'denied',
  });
  return ahp.until(chat, ({ activeTurn }) => activeTurn === undefined);
}

async function playRound(host: Served, round: number, next: () => number): Promise<Served> {
  const names = Object.keys(moments);
  const name = names[round % names.length] ?? 'stream';
  const moment = moments[name] as Moment;
  const about = `round ${round} (${name})`;
  const session = `parley:/kill-${round}`;
  const ahp = await ahpClient(host);
  const chat = await start(ahp, session, moment);
  const witnesses = new Witnesses();
  if (round % 12 < 6 && name !== 'compaction') await witnesses.come(`kill-${round}`);
  const { from, to } = moment.packing ?? { from: 0, to: moment.closing ? 400 : 60 };
  await kill(host, moment, from + next() * (to - from));
  if (moment.packing && !isOnPostgres) await countPacked(`kill-${round}`);
  await ahp.peer.closed;
  ahp.last();
  const shown = ahp.states.get(chat);
  const said = await witnesses.leave();
  if (next() < 0.2) await killedStart(next() * 500);

  const again = await home.serve();
  const fresh = await ahpClient(again);
  const found = await fresh.subscribe(chat);
  // The approval of a tool may not have arrived before the kill.
  const isOpen = isAsking(found);
  expect(isOpen || name !== 'ask', about).toBe(true);
  const now = isOpen ? await refuse(fresh, chat, found) : found;
  expect(now.activeTurn, about).toBeUndefined();
  expect(now.turns, about).toHaveLength(moment.before === undefined ? 1 : 2);
  expectKept(shown, now, about);
  const turn = now.turns.at(-1);
  count(`${name}: ${turn.state}`);
  const mayEnd = name === 'compaction' || moment.packing !== undefined || isOpen;
  const isComplete = mayEnd && turn.state === 'complete';
  expect(isComplete || turn.state === 'error', `${about}: ${turn.state}`).toBe(true);
  expect(isComplete || turn.responseParts.at(-1).kind === 'error', about).toBe(true);
  const spoken = spokenOf(turn);
  expect(spoken.startsWith(said.eca), `${about}: ECA`).toBe(true);
  expect(spoken.startsWith(said.acp), `${about}: ACP`).toBe(true);
  const tools = turn.responseParts.flatMap((part: Loose) =>
    part.kind === 'toolCall' ? [isStopped(part.toolCall) ? 'stopped' : part.toolCall.status] : [],
  );
  expect(moment.tools, about).toContain(tools.join());
  await expectResumed(again, ahp, { session, chat, now, about });

  expect(processesWith(marker), `${about}: orphans`).toEqual([]);
  send(fresh, chat, [`${session}#2`, 'say We go on.']);
  const after = await fresh.until(chat, (state) => state.turns.length === now.turns.length + 1);
  expect(spokenOf(after.turns.at(-1)), about).toContain('We go on.');
  await fresh.close();
  return again;
}

test(`${rounds} rounds`, { timeout: 20_000 * Math.max(12, rounds) }, async () => {
  const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_115);
  const next = random(seed);
  let host = await home.serve();
  for (let round = 0; round < rounds; round += 1) host = await playRound(host, round, next);
  await host.kill('SIGTERM');
  expect(await problemsInLog(home)).toEqual([]);
  process.stdout.write(`${rounds} rounds, seed ${seed}: ${JSON.stringify(counts)}\n`);
});
