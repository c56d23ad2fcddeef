// A prompt that is answered with a few words, in the real program with settings and knowledge: its time and
// its CPU time, compared with the smallest possible agent in the same rounds. Prints both; has no limit.
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { once } from 'node:events';
import { bareAgent, cpuOf, leanEnvironment, median, print, record, start, temporary } from './kit.ts';

const rounds = 4;
const prompts = 50;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
}

const parse: (line: string) => Message = JSON.parse;

class Editor {
  readonly #child: ChildProcess;
  #rest = '';
  #last = 0;
  readonly #waiting = new Map<number, (result: Record<string, unknown>) => void>();
  #session: unknown;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = start(args, env);
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#hear(line);
    });
  }

  get cpu(): number {
    return cpuOf(this.#child.pid ?? 0);
  }

  async open(cwd: string): Promise<void> {
    await this.#ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
    this.#session = (await this.#ask('session/new', { cwd, mcpServers: [] }))['sessionId'];
  }

  prompt(text: string): Promise<unknown> {
    return this.#ask('session/prompt', { sessionId: this.#session, prompt: [{ type: 'text', text }] });
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await once(this.#child, 'exit');
  }

  #ask(method: string, params: object): Promise<Record<string, unknown>> {
    return new Promise((resolve) => {
      this.#last += 1;
      this.#waiting.set(this.#last, resolve);
      this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: this.#last, method, params })}\n`);
    });
  }

  #hear(line: string): void {
    const { id, method, result } = parse(line);
    if (id !== undefined && method === undefined) this.#waiting.get(id)?.(result ?? {});
  }
}

const { dir, remove } = temporary();
mkdirSync(`${dir}/work`);
const env = leanEnvironment(`${dir}/home`);
const kinds = {
  'bare agent': { args: ['-e', bareAgent], text: 'stream 1', times: [] as number[], cpu: 0 },
  parley: {
    args: ['bin/parley.js', 'acp', '--standalone'],
    text: 'say Hello.',
    times: [] as number[],
    cpu: 0,
  },
};
const editors = new Map<string, Editor>();
for (const [name, { args, text }] of Object.entries(kinds)) {
  const editor = new Editor(args, env);
  editors.set(name, editor);
  await editor.open(`${dir}/work`);
  for (let n = 0; n < 20; n += 1) await editor.prompt(text);
}
for (let round = 0; round < rounds; round += 1)
  for (const [name, kind] of Object.entries(kinds)) {
    const editor = editors.get(name);
    if (!editor) continue;
    const before = editor.cpu;
    for (let n = 0; n < prompts; n += 1) {
      const began = performance.now();
      await editor.prompt(kind.text);
      kind.times.push(performance.now() - began);
    }
    kind.cpu += editor.cpu - before;
  }
for (const editor of editors.values()) await editor.close();
remove();

const [bare, ours] = [kinds['bare agent'], kinds.parley];
record(
  { name: 'prompt: answered', unit: 'ms', floor: median(bare.times), parley: median(ours.times) },
  { name: 'prompt: CPU', unit: 'ms', parley: ours.cpu / rounds / prompts },
);
for (const [name, { times, cpu }] of Object.entries(kinds))
  print(
    `${name.padEnd(12)} median ${median(times).toFixed(2)} ms, least ${Math.min(...times).toFixed(2)} ms, ` +
      `CPU ${(cpu / rounds / prompts).toFixed(2)} ms per prompt`,
  );
