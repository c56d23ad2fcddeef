// Random clients of all protocols over one host that is restarted and killed again and again: nothing that
// was shown is lost, and memory and open files of the host stay bounded.
import { methods } from '@agentclientprotocol/sdk';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Served } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';
import { expectKept, problemsInLog, random, send, spokenOf, toolOf } from './shownIsKept.ts';

/** `npm run faults:soak` asks for more. */
const minutes = Number(process.env['PARLEY_SOAK_MINUTES'] ?? 0.3);
const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_116);
const next = random(seed);

const home = newHome();
afterAll(() => home.dispose());

const counts: { [what: string]: number } = {};
const count = (what: string, more = 1) => {
  counts[what] = (counts[what] ?? 0) + more;
};

/** The host under test, which is away for a moment now and then. */
class Hosts {
  #host: Served | undefined;
  #waiting: (() => void)[] = [];
  readonly #busy = new Set<Promise<unknown>>();
  readonly #arriving = new Set<Promise<unknown>>();
  isOver = false;

  /** A pipe that finds no host starts one of its own, so nobody is killed while a client arrives. */
  async arrive<T>(client: Promise<T>): Promise<T> {
    this.#arriving.add(client);
    try {
      return await client;
    } finally {
      this.#arriving.delete(client);
    }
  }

  /** Runs a round of a client. A round that the end of the host cuts off is no failure. */
  async play(round: (host: Served) => Promise<unknown>): Promise<void> {
    while (!this.#host) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const host = this.#host;
    const isCutOff = () => this.#host !== host;
    const done = round(host).catch((error: unknown) => {
      if (!isCutOff()) throw error;
      count('rounds cut off');
    });
    this.#busy.add(done);
    await done.finally(() => this.#busy.delete(done));
  }

  async start(): Promise<Served> {
    const host = await home.serve();
    this.#host = host;
    for (const resume of this.#waiting.splice(0)) resume();
    return host;
  }

  /** Kills the host in the middle of everything. */
  async kill(host: Served): Promise<void> {
    this.#host = undefined;
    while (this.#arriving.size > 0) await Promise.allSettled(this.#arriving);
    await host.kill();
    count('kills');
    await Promise.all(this.#busy);
  }

  /** Lets all rounds end, looks at what the host still holds, and stops it. */
  async stop(host: Served): Promise<Held> {
    this.#host = undefined;
    await Promise.all(this.#busy);
    const held = await settledAt(host.pid);
    await host.kill('SIGTERM');
    count('stops');
    return held;
  }
}

const hosts = new Hosts();

interface Held {
  readonly files: number;
  /** In MiB. */
  readonly memory: number;
}

function heldBy(pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    files: readdirSync(`/proc/${pid}/fd`).length,
    memory: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
  };
}

/** What the host holds once it has let go of its clients; children end a moment after them. */
async function settledAt(pid: number): Promise<Held> {
  for (let tries = 0; heldBy(pid).files > mostFiles && tries < 100; tries += 1) await pause(100);
  return heldBy(pid);
}

/** A host without clients has about 30; each leak in a round would soon be more. */
const mostFiles = 50;
/** A host that has just started has about 100 MiB. */
const mostMemory = 450;

const scripts = [
  () => `stream ${Math.ceil(next() * 2_000)} word`,
  () => 'stream 20 word\npause 5\n'.repeat(Math.ceil(next() * 60)),
  () => 'reason Let me see.\nsay I will look.\ntool shell_command {"command":"echo looked"}\nsay Done.',
  () => 'say May I?\ntool write_file {"path":"soak.txt","content":"x"}',
  () => '/compact\ntool compact_chat {"summary":"All of it, in short."}',
  () => 'say It fails.\nfail scripted No more.',
];
const script = () => scripts[Math.floor(next() * scripts.length)]?.() ?? '';

/** One client and its session, which lives for some rounds. */
class AhpUser {
  readonly #name: string;
  #session = 0;
  #turn = 0;
  #shown: Loose;

  constructor(name: string) {
    this.#name = name;
  }

  async round(host: Served): Promise<void> {
    const ahp = await ahpClient(host);
    const gone = ahp.peer.closed.then(() => Promise.reject(new Error('The host is gone.')));
    try {
      await Promise.race([this.#work(ahp), gone]);
    } finally {
      gone.catch(() => {});
      await ahp.close();
    }
  }

  async #work(ahp: AhpClient): Promise<void> {
    if (this.#shown === undefined || next() < 0.1) await this.#begin(ahp);
    const channel = `parley:/soak-${this.#name}-${this.#session}`;
    const { defaultChat: chat } = await ahp.subscribe(channel);
    const now = await ahp.subscribe(chat);
    expectKept(this.#shown, now, `${channel}, seed ${seed}`);
    count('states compared');
    count('characters compared', JSON.stringify(this.#shown).length);
    const watch = () => {
      ahp.last();
      this.#shown = ahp.states.get(chat);
    };
    try {
      await this.#turnOf(ahp, chat);
    } finally {
      watch();
    }
  }

  async #begin(ahp: AhpClient): Promise<void> {
    const isOldUseless = this.#shown !== undefined && next() < 0.5;
    // What the end of the host cuts off may have been done or not, so the next round begins again.
    this.#shown = undefined;
    if (isOldUseless)
      await ahp.request('disposeSession', { channel: `parley:/soak-${this.#name}-${this.#session}` });
    this.#session += 1;
    const channel = `parley:/soak-${this.#name}-${this.#session}`;
    await ahp.request('createSession', { channel, workingDirectories: [`file://${home.workspace}`] });
    this.#shown = { turns: [] };
    count('sessions');
  }

  async #turnOf(ahp: AhpClient, chat: string): Promise<void> {
    // Somebody may have left in the middle of a turn that asks.
    await this.#untilEnd(ahp, chat, 0);
    this.#turn += 1;
    const turnId = `${this.#name} ${this.#turn}`;
    const { length } = ahp.states.get(chat).turns;
    send(ahp, chat, [turnId, script()]);
    await ahp.until(
      chat,
      (state) => state.activeTurn?.responseParts.length > 0 || state.turns.length > length,
    );
    // Some leave in the middle, and some stop the turn; the others wait and answer.
    const whim = next();
    if (whim < 0.15) return count('left in a turn');
    if (whim < 0.3) ahp.dispatch(chat, { type: 'chat/turnCancelled', turnId, duration: 1 });
    await this.#untilEnd(ahp, chat, length + 1);
    count('turns over AHP');
  }

  /** Answers what is asked until no turn runs and so many are over. */
  async #untilEnd(ahp: AhpClient, chat: string, turns: number): Promise<void> {
    await ahp.until(chat, (state) => {
      const call = toolOf(state);
      if (call?.status === 'pending-confirmation')
        this.#answer(ahp, chat, { turnId: state.activeTurn.id, ...call });
      return state.activeTurn === undefined && state.turns.length >= turns;
    });
  }

  #answer(ahp: AhpClient, chat: string, { turnId, toolCallId, options }: Loose): void {
    const approved = next() < 0.7;
    ahp.dispatch(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      approved,
      ...(approved
        ? { confirmed: 'user-action', selectedOptionId: options[0].id }
        : { reason: 'denied', selectedOptionId: options.at(-1).id }),
    });
  }
}

/** What was shown elsewhere is what an AHP client sees of the same session. */
async function expectSeen(host: Served, session: string, words: string): Promise<void> {
  const ahp = await ahpClient(host);
  const { defaultChat } = await ahp.subscribe(`parley:/${session}`);
  const { turns, activeTurn } = await ahp.subscribe(defaultChat);
  const spoken = [...turns, ...(activeTurn ? [activeTurn] : [])].map(spokenOf).join('');
  expect(spoken.startsWith(words), `${session}, seed ${seed}`).toBe(true);
  count('characters compared', words.length);
  await ahp.close();
}

async function acpRound(host: Served): Promise<void> {
  const acp = await hosts.arrive(acpEditor(home));
  try {
    const { sessionId } = await acp.agent.request(methods.agent.session.new, {
      cwd: home.workspace,
      mcpServers: [],
    });
    const prompt = [{ type: 'text' as const, text: `stream ${Math.ceil(next() * 500)} word` }];
    await acp.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    const words = acp.updates.flatMap(({ update }: Loose) =>
      update.sessionUpdate === 'agent_message_chunk' ? [update.content.text] : [],
    );
    await expectSeen(host, sessionId, words.join(''));
    count('turns over ACP');
  } finally {
    await acp.close();
  }
}

async function ecaRound(host: Served): Promise<void> {
  const eca = await hosts.arrive(ecaClient(home));
  const gone = eca.peer.closed.then(() => Promise.reject(new Error('The host is gone.')));
  try {
    const { chatId } = await eca.request('chat/prompt', {
      message: `stream ${Math.ceil(next() * 500)} word`,
    });
    const isEnd = ({ method, params }: Loose) =>
      method === 'chat/contentReceived' && params.content.state === 'finished';
    await Promise.race([eca.wait(isEnd), gone]);
    const words = eca.said.flatMap(({ method, params }) =>
      method === 'chat/contentReceived' && params.role === 'assistant' && params.content.type === 'text'
        ? [params.content.text]
        : [],
    );
    await expectSeen(host, chatId, words.join('').trimStart());
    count('turns over ECA');
  } finally {
    gone.catch(() => {});
    await eca.close();
  }
}

test(`${minutes} minutes`, { timeout: minutes * 60_000 + 240_000 }, async () => {
  let host = await hosts.start();
  const end = Date.now() + minutes * 60_000;
  const users = ['a', 'b'].map((name) => new AhpUser(name));
  const rounds = [...users.map((user) => (at: Served) => user.round(at)), acpRound, ecaRound];
  const clients = rounds.map(async (round) => {
    while (!hosts.isOver) await hosts.play(round);
  });
  const failed = Promise.all(clients);
  const held: Held[] = [];
  while (Date.now() < end) {
    await Promise.race([pause(3_000 + next() * 15_000), failed]);
    if (next() < 0.4) await hosts.kill(host);
    else held.push(await hosts.stop(host));
    host = await hosts.start();
  }
  hosts.isOver = true;
  await failed;
  held.push(await hosts.stop(host));
  const most = (what: keyof Held) => Math.max(...held.map((each) => each[what]));
  process.stdout.write(
    `${minutes} minutes, seed ${seed}: ${JSON.stringify({ ...counts, files: most('files'), memory: most('memory') })}\n`,
  );
  expect(most('files')).toBeLessThanOrEqual(mostFiles);
  expect(most('memory')).toBeLessThanOrEqual(mostMemory);
  expect(await problemsInLog(home)).toEqual([]);
});
