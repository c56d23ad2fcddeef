// An AHP client that goes to the next host whenever its connection ends. It watches that numbers only grow
// and that whatever it was shown is shown again.
import { WebSocket } from 'ws';
import { createWebSocketTransport } from '../../../src/rpc/transports/websocket.ts';
import { newestClient } from '../../kit/ahp.ts';
import type { AhpClient } from '../../kit/ahp.ts';
import { pause } from '../../kit/living.ts';
import { eventually } from '../../kit/patience.ts';
import type { Loose } from '../../kit/wire.ts';
import { spokenOf } from '../shownIsKept.ts';
import type { Machine } from './machine.ts';
import type { Prompt } from './prompts.ts';

export interface RoamerOptions {
  readonly id: string;
  readonly machines: readonly Machine[];
  /** The machine it begins with. */
  readonly at: number;
  readonly problem: (what: string) => void;
}

/** A host that does not answer for so long is left, in milliseconds. */
const patience = 8_000;

export class Roamer {
  readonly #options: RoamerOptions;
  #client: AhpClient | undefined;
  #at: number;
  #arriving: Promise<AhpClient> | undefined;
  #isHere = false;
  #isOver = false;
  readonly #reported = new WeakMap<AhpClient, number>();
  moves = 0;

  constructor(options: RoamerOptions) {
    this.#options = options;
    this.#at = options.at;
  }

  get id(): string {
    return this.#options.id;
  }

  view(channel: string): Loose {
    return this.#client?.views.get(channel);
  }

  get chats(): readonly string[] {
    return [...(this.#client?.views.keys() ?? [])].filter(isChat);
  }

  async create(id: string, workspace: string): Promise<void> {
    const channel = `parley:/${id}`;
    await this.#insist(`the creation of ${id}`, (client) =>
      client
        .request('createSession', { channel, workingDirectories: [`file://${workspace}`] })
        .catch((error: Error) => {
          if (!/exists/.test(error.message)) throw error;
        }),
    );
    await this.follow(id);
  }

  async follow(id: string): Promise<void> {
    await this.#insist(id, (client) => client.subscribe(`ahp-chat:/${id}`));
  }

  /** Returns when the turn has ended, or when it was certainly not begun. */
  async prompt(session: string, { id, text }: Prompt): Promise<void> {
    const chat = `ahp-chat:/${session}`;
    const client = await this.#here();
    const began = Date.now();
    client.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: id,
      startedAt: new Date(0).toISOString(),
      message: { text, origin: { kind: 'user' } },
    });
    const look = async () => {
      await pause(40);
      const { turns = [], activeTurn } = this.view(chat) ?? {};
      return turns.some((turn: Loose) => turn.id === id) || (!activeTurn && Date.now() - began > patience);
    };
    await eventually(look, `the end of ${id}, as ${this.id} sees it`);
  }

  /** Gets everything that is stored, then leaves for good. */
  async end(): Promise<void> {
    await this.#here();
    this.#isOver = true;
    this.#look();
    this.#client?.peer.close();
  }

  /** Memory is for what is shown, not for every message. */
  tidy(): void {
    this.#look();
    if (this.#client) this.#client.said.length = 0;
  }

  #look(): void {
    const client = this.#client;
    if (!client) return;
    for (const problem of client.problems.slice(this.#reported.get(client) ?? 0)) this.#problem(problem);
    this.#reported.set(client, client.problems.length);
  }

  #problem(what: string): void {
    this.#options.problem(`${this.#options.id}: ${what}`);
  }

  async #insist(what: string, run: (client: AhpClient) => Promise<unknown>): Promise<void> {
    let problem: unknown;
    const look = async () => {
      const client = await this.#here();
      try {
        await within(run(client));
        return true;
      } catch (error) {
        problem = error;
        await pause(200);
        return false;
      }
    };
    await eventually(look, () => `${what}, asked for by ${this.id}: ${String(problem)}`);
  }

  async #here(): Promise<AhpClient> {
    if (this.#client && this.#isHere) return this.#client;
    this.#arriving ??= this.#arrive().finally(() => {
      this.#arriving = undefined;
    });
    return this.#arriving;
  }

  #arrive(): Promise<AhpClient> {
    const { machines } = this.#options;
    let problem: unknown;
    const look = async () => {
      const machine = machines[this.#at % machines.length];
      try {
        return machine && (await this.#arriveAt(machine));
      } catch (error) {
        problem = error;
        this.#at += 1;
        await pause(200);
        return undefined;
      }
    };
    return eventually(look, () => `a host for ${this.id}: ${String(problem)}`);
  }

  async #arriveAt(machine: Machine): Promise<AhpClient> {
    const { port, token } = machine.host();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ahp?tkn=${token}`, { handshakeTimeout: patience });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const old = this.#client;
    this.#look();
    const client = newestClient(createWebSocketTransport(socket), this.#options.id, { earlier: old });
    try {
      const shown = new Map(old?.views);
      const result = await within(this.#introduce(client, old));
      for (const { fromSeq, resource } of result.snapshots ?? [])
        if (fromSeq < (old?.lastSeen() ?? 0))
          this.#problem(`the snapshot of ${resource} has ${fromSeq} after ${old?.lastSeen()}`);
      await this.#regain(client, result);
      for (const [channel, state] of shown) if (isChat(channel)) this.#compare(channel, state, client);
    } catch (error) {
      client.peer.close();
      throw error;
    }
    this.#client = client;
    this.#isHere = true;
    this.moves += 1;
    void this.#comeBack(client);
    return client;
  }

  async #comeBack({ peer }: AhpClient): Promise<void> {
    await peer.closed;
    this.#isHere = false;
    if (!this.#isOver) await this.#here();
  }

  async #introduce(client: AhpClient, old: AhpClient | undefined): Promise<Loose> {
    const clientId = this.#options.id;
    const channels = [...(old?.views.keys() ?? ['ahp-root://'])];
    const first = {
      channel: 'ahp-root://',
      protocolVersions: ['1.0.0'],
      clientId,
      initialSubscriptions: channels,
    };
    if (!old) return client.request('initialize', first);
    const returning = { clientId, lastSeenServerSeq: old.lastSeen(), subscriptions: channels };
    return client.request('reconnect', { channel: 'ahp-root://', ...returning }).catch((error: Error) => {
      if (!error.message.includes('initialize instead')) throw error;
      return client.request('initialize', first);
    });
  }

  /** A host learns of the sessions of others a moment later. */
  async #regain(client: AhpClient, { snapshots, missing = [] }: Loose): Promise<void> {
    const given = new Set((snapshots ?? []).map(({ resource }: Loose) => resource));
    const lacking = snapshots ? [...client.views.keys()].filter((channel) => !given.has(channel)) : missing;
    for (const channel of lacking) await this.#subscribe(client, channel);
  }

  /** A host that does not show what this client has seen is left. */
  async #subscribe(client: AhpClient, channel: string): Promise<void> {
    for (const until = Date.now() + patience; ;) {
      try {
        return void (await within(client.subscribe(channel)));
      } catch (error) {
        if (Date.now() > until) throw new Error(`${channel}: ${String(error)}`, { cause: error });
      }
      await pause(200);
    }
  }

  /** Every turn that was shown is the same; one that had not ended has at least what was said. */
  #compare(channel: string, shown: Loose, { views }: AhpClient): void {
    const now = views.get(channel);
    const changed = shown.turns.findIndex((turn: Loose, at: number) => !isEqual(turn, now.turns[at]));
    if (changed >= 0)
      this.#problem(
        `${channel}: turn ${changed} of ${shown.turns.length} has changed, and there are ${now.turns.length}: ` +
          difference(shown.turns[changed], now.turns[changed]),
      );
    const { activeTurn } = shown;
    if (!activeTurn) return;
    const turn = [...now.turns, ...(now.activeTurn ? [now.activeTurn] : [])].find(
      ({ id }: Loose) => id === activeTurn.id,
    );
    if (!turn || !spokenOf(turn).startsWith(spokenOf(activeTurn)))
      this.#problem(`${channel}: words of ${activeTurn.id} are gone`);
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Where two texts of JSON begin to differ. */
function difference(shown: unknown, now: unknown): string {
  const [was, is] = [JSON.stringify(shown), JSON.stringify(now) ?? 'nothing'];
  let at = 0;
  while (at < was.length && was[at] === is[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - 100), at + 200);
  return `${around(was)} is ${around(is)}`;
}

function isChat(channel: string): boolean {
  return channel.startsWith('ahp-chat:');
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), 4 * patience);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
