// A tool server written without any library, which speaks the older protocol and behaves as badly as it is
// told: its tools are its habits. `shy` leaves at the first word it does not know, `mute` never answers,
// `broken` ends at once, `chatty` greets the user first, `library` has a resource and says when it changes.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: { readonly [name: string]: unknown };
    readonly protocolVersion?: string;
    readonly requestId?: number | string;
    readonly _meta?: { readonly progressToken?: number };
  };
  readonly result?: unknown;
  readonly error?: unknown;
}

const habit = process.argv[2] ?? '';
const tools = [
  'echo',
  'crash',
  'hang',
  'huge',
  'grow',
  'ask',
  'roots',
  'env',
  'slow',
  'child',
  'name',
  'visit',
  'needs',
  'sample',
  'stall',
  'left',
  'write',
  'doze',
  'shuffle',
  'storm',
  'kinds',
  'publish',
  'talk',
  'asked',
];
const waiting = new Map<number | string, (result: unknown) => void>();
let asked = 0;
let visited = 0;
/** Calls that whoever made them has given up, by name. */
const left: string[] = [];
const called = new Map<number | string, string>();
/** What its only resource says, and whether anybody wants to hear of changes. */
const shelf = ['sea'];
let listed = 0;
let written = 'Calm.';
const subscribed = new Set<string>();

if (habit === 'broken') {
  process.stderr.write('I never work.\n');
  process.exit(3);
}
if (habit === 'chatty') process.stdout.write('Welcome!\n');
if (habit !== 'mute')
  createInterface({ input: process.stdin })
    .on('line', (line) => void take(JSON.parse(line) as Message))
    .on('close', () => process.exit(0));
else process.stdin.resume();

async function take({ id, method, params, result, error }: Message): Promise<void> {
  if (method === undefined) return void (id !== undefined && waiting.get(id)?.(result ?? { error }));
  if (method === 'initialize') {
    const capabilities = {
      tools: { listChanged: true },
      ...(habit === 'library'
        ? { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } }
        : {}),
    };
    return answer(id, {
      protocolVersion: params?.protocolVersion,
      capabilities,
      serverInfo: { name: 'raw', version: '1' },
      instructions: 'Speak softly.',
    });
  }
  if (method === 'tools/list') listed += 1;
  if (method === 'tools/list' && habit === 'sloppy')
    return answer(id, {
      tools: [
        { name: 'echo' },
        { name: 'echo', inputSchema: { type: 'string' }, description: 7 },
        { inputSchema: {} },
        null,
        { name: 'ümläut / and blanks', inputSchema: { anyOf: [{ properties: { a: {} } }] } },
        { name: 'x'.repeat(200), inputSchema: null },
      ],
    });
  if (method === 'tools/list')
    return answer(id, {
      tools: tools.map((name) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } })),
    });
  if (method === 'tools/call') return call(id, params ?? {});
  if (method === 'notifications/cancelled')
    return void left.push(called.get(params?.requestId ?? '') ?? 'unknown');
  if (method === 'ping') return answer(id, {});
  if (method === 'resources/list')
    return answer(id, { resources: shelf.map((name) => ({ uri: `book://${name}`, name })) });
  if (method === 'prompts/list')
    return answer(id, { prompts: shelf.map((name) => ({ name: `tell-${name}` })) });
  if (method === 'resources/read') return answer(id, { contents: [{ uri: params?.uri, text: written }] });
  if (method === 'resources/subscribe') {
    subscribed.add(params?.uri ?? '');
    return answer(id, {});
  }
  if (id === undefined) return;
  if (habit === 'shy') process.exit(1);
  send({ id, error: { code: -32601, message: `What is ${method}?` } });
}

async function call(
  id: Message['id'],
  { name, arguments: given = {}, _meta }: NonNullable<Message['params']>,
): Promise<void> {
  if (id !== undefined) called.set(id, name ?? '');
  switch (name) {
    case 'left':
      return say(id, JSON.stringify(left));
    case 'echo':
      return say(id, JSON.stringify(given));
    case 'crash':
      process.stderr.write('I fell.\n');
      return process.exit(9);
    case 'hang':
      // Whoever made the call can see that it has come.
      if (typeof given['mark'] === 'string') writeFileSync(given['mark'], '');
      return;
    case 'huge':
      return say(id, 'x'.repeat(1_000_000));
    case 'grow':
      tools.push('grown');
      send({ method: 'notifications/tools/list_changed' });
      return say(id, 'Grown.');
    case 'ask': {
      const requestedSchema = {
        type: 'object',
        properties: {
          colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
          count: { type: 'integer' },
        },
        required: ['colour'],
      };
      return say(
        id,
        JSON.stringify(
          await request('elicitation/create', { mode: 'form', message: 'Which one?', requestedSchema }),
        ),
      );
    }
    case 'visit':
      return say(
        id,
        JSON.stringify(
          await request('elicitation/create', {
            mode: 'url',
            message: 'Pay there.',
            url: given['url'],
            elicitationId: 'e1',
          }),
        ),
      );
    case 'needs':
      visited += 1;
      if (visited > 1) return say(id, 'Thank you.');
      return send({
        id,
        error: {
          code: -32042,
          message: 'Go there first.',
          data: {
            elicitations: [
              { mode: 'url', message: 'Log in there.', url: 'https://a.example/in', elicitationId: 'e2' },
            ],
          },
        },
      });
    case 'sample':
      return say(
        id,
        JSON.stringify(
          await request('sampling/createMessage', {
            messages: [{ role: 'user', content: { type: 'text', text: 'Say something.' } }],
            systemPrompt: 'Be brief.',
            maxTokens: 10,
          }),
        ),
      );
    case 'stall':
      // Nothing is read any more, so nothing is answered either.
      process.stdin.pause();
      return;
    case 'write':
      written = String(given['text']);
      for (const uri of subscribed) send({ method: 'notifications/resources/updated', params: { uri } });
      return say(id, 'Written.');
    case 'publish':
      shelf.push('lake');
      for (const what of ['resources', 'prompts']) send({ method: `notifications/${what}/list_changed` });
      return say(id, 'Published.');
    case 'storm':
      for (let count = 0; count < 1_000; count += 1) send({ method: 'notifications/tools/list_changed' });
      return say(id, 'Over.');
    case 'asked':
      return say(id, String(listed));
    case 'talk':
      for (const [level, data] of [
        ['info', 'Begun.'],
        ['warning', { left: 3 }],
        ['error', 'Nearly.'],
      ]) {
        send({ method: 'notifications/message', params: { level, logger: 'raw', data } });
        await new Promise((resolve) => {
          setTimeout(resolve, 800);
        });
      }
      return say(id, 'Talked.');
    case 'kinds':
      return answer(id, {
        content: [
          { type: 'text', text: 'T' },
          { type: 'image', data: 'aWNvbg==', mimeType: 'image/png' },
          { type: 'audio', data: 'aWNvbg==', mimeType: 'audio/wav' },
          { type: 'resource_link', uri: 'book://sea', name: 'sea', mimeType: 'text/plain' },
          { type: 'resource', resource: { uri: 'book://lake', text: 'Deep.' } },
          { type: 'resource', resource: { uri: 'book://pond', blob: 'aWNvbg==', mimeType: 'image/png' } },
          { type: 'image', data: 'x'.repeat(6_000_000), mimeType: 'image/png' },
        ],
        structuredContent: { a: 1 },
      });
    case 'shuffle':
      tools.reverse();
      send({ method: 'notifications/tools/list_changed' });
      return say(id, 'Shuffled.');
    case 'doze':
      say(id, 'Good night.');
      process.stdin.pause();
      return;
    case 'roots':
      return say(id, JSON.stringify(await request('roots/list', {})));
    case 'env':
      return say(
        id,
        JSON.stringify({ cwd: process.cwd(), own: process.env['OWN'], secret: process.env['SOME_API_KEY'] }),
      );
    case 'slow':
      for (const step of [1, 2, 3]) {
        send({
          method: 'notifications/progress',
          params: { progressToken: _meta?.progressToken, progress: step, total: 3, message: `step ${step}` },
        });
        await new Promise((resolve) => {
          setTimeout(resolve, 600);
        });
      }
      return say(id, 'Done at last.');
    case 'child':
      return say(id, String(spawn('sleep', ['600'], { stdio: 'ignore' }).pid));
    case undefined:
    default:
      return say(id, `I am ${name}, process ${process.pid}.`);
  }
}

function say(id: Message['id'], text: string): void {
  answer(id, { content: [{ type: 'text', text }] });
}

function answer(id: Message['id'], result: unknown): void {
  send({ id, result });
}

function request(method: string, params: unknown): Promise<unknown> {
  asked += 1;
  const id = `ask-${asked}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
