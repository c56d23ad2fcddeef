// Gives our server what a recorded client said, at the same points of the conversation, and keeps what it
// says. Ids and paths of the recording become ours.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentLength } from '../../../src/rpc/framing/contentLength.ts';
import type { Transport } from '../../../src/rpc/transports/transport.ts';
import { spawned } from '../../kit/clients.ts';
import type { Home } from '../../kit/parley.ts';
import type { Loose } from '../../kit/wire.ts';
import { saidBy } from './compare.ts';
import type { MessageShape } from './compare.ts';
import type { Line, RecordedStep } from './recorded.ts';

export interface Replayed {
  readonly step: string;
  readonly theirs: readonly MessageShape[];
  readonly ours: readonly MessageShape[];
}

export interface Stage {
  /** What we are known not to say in a step, so that nobody waits for it. */
  readonly missing: (step: string, kind: string) => boolean;
  /** What somebody did to the files of the server as a step began. */
  readonly deeds: { readonly [step: string]: (() => void) | undefined };
}

export async function replay(
  home: Home,
  steps: readonly RecordedStep[],
  { missing, deeds }: Stage,
): Promise<readonly Replayed[]> {
  const player = new Player(home, steps, missing);
  const done: Replayed[] = [];
  for (const step of steps) {
    deeds[step.name]?.();
    done.push(await player.play(step));
  }
  player.close();
  return done;
}

/**
 * What the recorded model did, as the script of ours: it echoes, thinks, calls tools or
 * fails, as its prompt says.
 */
export function scriptFor(
  home: Home,
  files: readonly string[],
  read: (file: string) => readonly RecordedStep[],
): string {
  const messages = files.flatMap((file) =>
    read(file).flatMap(({ lines }) =>
      lines.flatMap(({ from, message }) => (from === 'client' ? wordsIn(message) : [])),
    ),
  );
  const rules = [...new Set(messages)]
    .toSorted((a, b) => b.length - a.length)
    .map((message) => ({ when: inPlace(home, message), steps: stepsFor(home, message) }));
  const path = join(home.dir, 'script.json');
  writeFileSync(path, JSON.stringify(rules));
  return path;
}

/** What the recorded model was asked. */
function wordsIn({ method, params }: Loose): readonly string[] {
  if (method === 'chat/prompt') return [String(params.message)];
  return method === 'rewrite/prompt' ? [String(params.prompt)] : [];
}

const usage = { usage: { input: 100, output: 20, cost: 0.001 } };

function stepsFor(home: Home, message: string): readonly object[] {
  const call = /^TOOL eca__(\w+) (.*)$/s.exec(message);
  if (call)
    return [
      { text: 'I will call. ' },
      usage,
      { tool: call[1], raw: inPlace(home, call[2] ?? '') },
      { text: 'Tool said: {{result}}' },
      usage,
    ];
  if (message.startsWith('http500')) return [{ fail: { code: 'invalid', message: 'bad thing happened' } }];
  const slow = message.startsWith('SLOW aaa')
    ? [{ text: 'Echo:' }, { pause: 1_500 }]
    : message.startsWith('SLOW')
      ? [{ text: 'Echo:' }, { hang: true }]
      : [];
  return [
    ...(message.startsWith('THINK') ? [{ reasoning: 'hmm ok' }] : []),
    ...slow,
    { text: `Echo: ${message}` },
    usage,
  ];
}

/** Where the recorded client keeps its server of tools, and where ours lies. */
export const sampleServer = (home: Home) => join(home.dir, 'mcpSample.cjs');

function inPlace(home: Home, text: string): string {
  return text.replaceAll('"/opt/eca"', JSON.stringify(sampleServer(home))).replaceAll('/ws', home.workspace);
}

/** How long to wait for what the recorded client had waited for, in milliseconds. */
const patience = { usual: 60_000, brief: 700 } as const;

class Player {
  readonly #home: Home;
  readonly #transport: Transport;
  readonly #heard: Loose[] = [];
  readonly #asked = { theirs: new Map<unknown, string>(), ours: new Map<unknown, string>() };
  readonly #tools = { theirs: [] as string[], ours: [] as string[] };
  readonly #texts = new Map<string, string>();
  readonly #running = new Set<string>();
  /** Prompts that were sent while another one ran and have not begun yet. */
  readonly #queued = new Set<string>();
  readonly #missing: Stage['missing'];
  #step = '';
  #look = () => {};
  #answers: Loose[] = [];

  constructor(home: Home, steps: readonly RecordedStep[], missing: Stage['missing']) {
    this.#home = home;
    this.#missing = missing;
    for (const { lines } of steps) for (const { from, message } of lines) this.#note(from, message);
    this.#transport = spawned(home, ['server'], contentLength);
    this.#transport.listen({
      message: (text) => this.#hear(JSON.parse(text)),
      problem: () => {},
      closed: () => this.#look(),
    });
  }

  /** A recorded client waits for something before it goes on; so do we, but not forever. */
  async play({ name, lines }: RecordedStep): Promise<Replayed> {
    const from = this.#heard.length;
    this.#step = name;
    this.#answers = lines.flatMap(({ from: side, message }) =>
      side === 'client' && message.method === undefined ? [message] : [],
    );
    for (const [at, { from: side, message }] of lines.entries()) {
      if (side !== 'client' || message.method === undefined) continue;
      const before = lines.slice(0, at).filter((line) => line.from === 'server');
      await this.#until(from, before);
      if (message.method === 'chat/prompt' && this.#running.has(message.params.chatId))
        this.#queued.add(message.params.message);
      this.#transport.send(JSON.stringify(this.#ours(message)));
    }
    const waited = this.#queued.size > 0;
    await this.#until(
      from,
      lines.filter((line) => line.from === 'server'),
    );
    // A prompt that waits for another one is a part of this step to its end.
    if (waited) await this.#wait(() => this.#queued.size === 0 && this.#running.size === 0);
    if (!lines.some(({ message }) => message.method === 'exit')) await this.#barrier();
    const theirs = lines.flatMap((line) => (line.from === 'server' ? [line.message] : []));
    const ours = this.#heard
      .slice(from)
      .filter(({ id }) => typeof id !== 'string' || !id.startsWith('barrier'));
    await this.#rest();
    return { step: name, theirs: saidBy(theirs, this.#asked.theirs), ours: saidBy(ours, this.#asked.ours) };
  }

  close(): void {
    this.#transport.close();
  }

  /** Waits until we have heard as many of the last kind as the recorded client had. */
  async #until(from: number, lines: readonly Line[]): Promise<void> {
    const theirs = saidBy(
      lines.map(({ message }) => message),
      this.#asked.theirs,
    ).filter(({ kind }) => !/usage|metadata|serverUpdated native|assistant text/.test(kind));
    const kind = theirs.at(-1)?.kind;
    if (kind === undefined) return;
    const wanted = theirs.filter((said) => said.kind === kind).length;
    const server = 'tool/serverUpdated mcp ';
    const isThere = () =>
      saidBy(this.#heard.slice(from), this.#asked.ours).findLast((said) => said.kind.startsWith(server))
        ?.kind === kind;
    // How often a server of tools is begun again differs; where it stands in the end does not.
    const has = () =>
      kind.startsWith(server)
        ? isThere()
        : saidBy(this.#heard.slice(from), this.#asked.ours).filter((said) => said.kind === kind).length >=
          wanted;
    await this.#wait(has, this.#missing(this.#step, kind) ? patience.brief : patience.usual);
  }

  /** What still runs is stopped, so that the next step begins as the recorded one did. */
  async #rest(): Promise<void> {
    for (const chatId of this.#running)
      this.#transport.send(JSON.stringify({ jsonrpc: '2.0', method: 'chat/promptStop', params: { chatId } }));
    await this.#wait(() => this.#running.size === 0);
  }

  /** Everything said before the answer to a last question has arrived when it has. */
  async #barrier(): Promise<void> {
    const id = `barrier-${this.#heard.length}`;
    this.#transport.send(
      JSON.stringify({ jsonrpc: '2.0', id, method: 'chat/queryCommands', params: { query: 'none' } }),
    );
    await this.#wait(() => this.#heard.some((message) => message.id === id));
  }

  #wait(holds: () => boolean, time: number = patience.usual): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), time);
      const done = () => {
        clearTimeout(timer);
        this.#look = () => {};
        resolve();
      };
      this.#look = () => holds() && done();
    });
  }

  #hear(message: Loose): void {
    this.#heard.push(message);
    const content = message.params?.content;
    if (message.method === 'chat/statusChanged' && message.params.status === 'running')
      this.#running.add(message.params.chatId);
    else if (message.method === 'chat/statusChanged') this.#running.delete(message.params.chatId);
    if (content?.type === 'text' && content.contentId !== undefined) {
      this.#texts.set(content.text.trim(), content.contentId);
      // Its turn runs from here on, although that is said only with the next message.
      if (this.#queued.delete(content.text.trim())) this.#running.add(message.params.chatId);
    }
    if (content?.type === 'flag') this.#texts.set(`flag ${content.text}`, content.contentId);
    if (content?.type === 'toolCallRun' && !this.#tools.ours.includes(content.id))
      this.#tools.ours.push(content.id);
    if (message.method !== undefined && message.id !== undefined) this.#answer(message);
    this.#look();
  }

  #answer({ id }: Loose): void {
    const [answer = { result: null }] = this.#answers.splice(0, 1);
    this.#transport.send(JSON.stringify({ jsonrpc: '2.0', id, result: answer.result }));
  }

  /** Learns what the ids of the recording stand for. */
  readonly #meanings = new Map<string, string>();

  #note(from: Line['from'], message: Loose): void {
    if (from === 'client')
      return void (
        message.method !== undefined &&
        message.id !== undefined &&
        this.#asked.theirs.set(message.id, message.method)
      );
    const content = message.params?.content;
    if (content?.type === 'text' && content.contentId !== undefined)
      this.#meanings.set(content.contentId, content.text.trim());
    if (content?.type === 'flag') this.#meanings.set(content.contentId, `flag ${content.text}`);
    if (content?.type === 'toolCallRun' && !this.#tools.theirs.includes(content.id))
      this.#tools.theirs.push(content.id);
  }

  #ours(message: Loose): Loose {
    const mapped = JSON.parse(inPlace(this.#home, JSON.stringify(message)), (_, value: Loose) =>
      this.#value(value),
    );
    if (message.method === 'initialize') mapped.params.processId = process.pid;
    if (message.id !== undefined) this.#asked.ours.set(message.id, message.method);
    return mapped;
  }

  /** Tool calls are the same in the order they were made; messages are the same by their words. */
  #value(value: Loose): Loose {
    if (value === 'mock/m1' || value === 'mock/m2') return 'scripted/scripted';
    const tool = this.#tools.theirs.indexOf(value);
    if (tool >= 0) return this.#tools.ours.at(-1);
    const meaning = typeof value === 'string' ? this.#meanings.get(value) : undefined;
    return meaning === undefined ? value : (this.#texts.get(inPlace(this.#home, meaning)) ?? value);
  }
}
