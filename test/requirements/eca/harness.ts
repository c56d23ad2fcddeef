// The real host for one file of tests, and editors that start `parley server` on it and write frames byte by
// byte, as eca-emacs does.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { newHome } from '../../kit/parley.ts';
import type { Home, Ran, Served } from '../../kit/parley.ts';
import type { Loose } from '../../kit/wire.ts';
import { isFinished } from './words.ts';
import { inTime } from '../../kit/patience.ts';

let home: Home;
let served: Served;
const editors: Editor[] = [];

beforeAll(async () => {
  home = newHome();
  for (const [path, text] of Object.entries({
    'src/a.txt': 'one\ntwo\n',
    '.eca/commands/greet.md': '---\ndescription: Say hi\n---\nsay Hi $1',
  })) {
    mkdirSync(dirname(join(home.workspace, path)), { recursive: true });
    writeFileSync(join(home.workspace, path), text);
  }
  // The user trusts the folder: these tests are about ECA, not about the notice for untrusted folders.
  await home.run('trust', home.workspace, '--yes').done;
  served = await home.serve();
});

afterAll(() => home.dispose());

afterEach(async () => {
  for (const each of editors.splice(0)) await each.close();
});

export function place(): Home & Served {
  return { ...home, ...served };
}

export class Editor {
  readonly #ran: Ran;
  readonly heard: Loose[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #look = new Set<() => void>();
  #id = 0;

  constructor(...flags: readonly string[]) {
    this.#ran = home.run('server', ...flags);
    this.#ran.child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    editors.push(this);
  }

  get done(): Ran['done'] {
    return this.#ran.done;
  }

  /** The bytes as they are. */
  write(bytes: string | Buffer): void {
    this.#ran.child.stdin?.write(bytes);
  }

  endInput(): void {
    this.#ran.child.stdin?.end();
  }

  /** One frame; the line break after the body is counted, as eca-emacs does. */
  send(message: object): void {
    const body = `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
    this.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  notify(method: string, params: unknown = null): void {
    this.send({ method, params });
  }

  /** The whole answer, result or error. */
  async ask(method: string, params: unknown = null): Promise<Loose> {
    const id = (this.#id += 1);
    this.send({ id, method, params });
    return this.until((message) => message.id === id && message.method === undefined);
  }

  until(fits: (message: Loose) => boolean, from = 0): Promise<Loose> {
    const later = new Promise<Loose>((resolve) => {
      const look = () => {
        const found: Loose = this.heard.slice(from).find(fits);
        if (found === undefined) return;
        this.#look.delete(look);
        resolve(found);
      };
      this.#look.add(look);
      look();
    });
    return inTime(later, () => `${fits.toString()}; heard ${JSON.stringify(this.heard.slice(-5))}`);
  }

  /** Sends a prompt and waits until it is over; gives what was said since, the answer included. */
  async prompt(chatId: string, message: string, more: object = {}): Promise<readonly Loose[]> {
    const from = this.heard.length;
    await this.ask('chat/prompt', { chatId, message, ...more });
    await this.until(isFinished, from);
    return this.heard.slice(from);
  }

  async close(): Promise<void> {
    this.endInput();
    await this.done;
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#rest.indexOf('\r\n\r\n');
      const length = /^Content-Length: (\d+)$/.exec(this.#rest.toString('utf8', 0, Math.max(0, head)))?.[1];
      if (head >= 0 && length === undefined)
        throw new Error(`no frame: ${this.#rest.toString('utf8', 0, 200)}`);
      const end = head + 4 + Number(length);
      if (head < 0 || this.#rest.length < end) break;
      this.heard.push(JSON.parse(this.#rest.toString('utf8', head + 4, end)));
      this.#rest = this.#rest.subarray(end);
    }
    for (const look of [...this.#look]) look();
  }
}

export const hello = (more: object = {}) => ({
  processId: process.pid,
  clientInfo: { name: 'emacs', version: '30' },
  capabilities: { codeAssistant: { chat: true } },
  workspaceFolders: [{ name: 'w', uri: `file://${home.workspace}` }],
  ...more,
});

/** An editor that has shaken hands. */
export async function editor(more: object = {}): Promise<Editor> {
  const made = new Editor();
  await made.ask('initialize', hello(more));
  made.notify('initialized');
  await made.until(
    ({ method, params }) => method === '$/progress' && params.type === 'finish' && params.taskId === 'models',
  );
  return made;
}

export const shell = (command: string) => `tool shell_command ${JSON.stringify({ command })}`;

let chats = 0;
export const newChat = () => `chat-${(chats += 1)}-${process.pid}`;
