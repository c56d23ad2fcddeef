// A small ACP agent for tests, run as a process of its own. It remembers its sessions on disk, does what the
// prompt says (reference/directives), and misbehaves in every way that real agents do (reference/switches).
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { play } from './reference/directives.ts';
import {
  configure,
  find,
  forget,
  keep,
  load,
  memory,
  remember,
  sessions,
  set,
  settings,
} from './reference/sessions.ts';
import type { Session } from './reference/sessions.ts';
import type { Speaker } from './reference/shell.ts';
import { can, quirks, switches } from './reference/switches.ts';
import { problem, request, send, sleep, update, waiting } from './reference/wire.ts';
import type { Json, Message } from './reference/wire.ts';

/** The prompts at work, and how to end them. */
const running = new Map<string, () => void>();

if (process.argv[2] === 'login') void signInHere();
else serve();

function serve(): void {
  if (switches.start === 'exit') {
    process.stderr.write('I do not want to.\n');
    process.exit(3);
  }
  if (quirks.has('greets-on-stdout'))
    process.stdout.write('Welcome to the reference agent!\n\u001b[32mready\u001b[0m\n');
  if (quirks.has('ignores-end')) {
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1_000);
  }
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => void receive(line));
  input.on('close', () => {
    if (!quirks.has('ignores-end')) setTimeout(() => process.exit(0), quirks.has('leaves-slowly') ? 600 : 0);
  });
}

async function receive(line: string): Promise<void> {
  const message = JSON.parse(line) as Message;
  if (message.method === undefined) return waiting.get(Number(message.id))?.(message);
  if (message.method === 'session/cancel') return cancel(String(message.params?.['sessionId']));
  if (message.method === 'mcp/message')
    return void (message.id === undefined
      ? memory.notified.push(message.params)
      : send({ id: message.id, result: { answered: message.method } }));
  if (message.id === undefined) return undefined;
  try {
    send({ id: message.id, result: await answer(message.method, message.params ?? {}) });
  } catch (error) {
    const failure = error as { code?: number; message: string };
    if (failure.code !== 0)
      send({ id: message.id, error: { code: failure.code ?? -32_603, message: failure.message } });
  }
  return undefined;
}

function answer(method: string, params: Json): unknown {
  const id = String(params['sessionId']);
  switch (method) {
    case 'initialize':
      return initialize(params);
    case 'authenticate':
      return authenticate(params);
    case 'session/new':
      return beginning().then(() => create(params, []));
    case 'session/fork':
      return supported('fork') && create(params, find(id).messages);
    case 'session/resume':
      return supported('resume') && { ...settings(load(id)) };
    case 'session/load':
      return supported('load') && replay(id);
    case 'session/list':
      return (
        supported('list') && {
          sessions: [...sessions].map(([sessionId, { cwd, messages }]) => ({
            sessionId,
            cwd,
            title: messages[0] ?? null,
          })),
          nextCursor: null,
        }
      );
    case 'session/close':
      return supported('close') && (sessions.delete(id), {});
    case 'session/delete':
      return supported('delete') && forget(id);
    case 'session/set_mode':
      return (set(id, { mode: String(params['modeId']) }), {});
    case 'session/set_model':
      return (set(id, { model: String(params['modelId']) }), {});
    case 'session/set_config_option':
      return configure(id, params);
    case '_session/steering':
      return steered(id, params['prompt'] as { text?: string }[]);
    case 'session/prompt':
      return prompt(id, params['prompt'] as { type: string; text?: string }[]);
    default:
      throw problem(-32_601, 'Method not found');
  }
}

function initialize({ protocolVersion, clientCapabilities }: Json): unknown {
  if (switches.start === 'error') throw problem(-32_603, 'Not today.');
  if (switches.start === 'silent') return new Promise(() => {});
  process.env['CLIENT_CAPABILITIES'] = JSON.stringify(clientCapabilities);
  const marks = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => can.has(name)).map((name) => [name, {}]));
  return {
    protocolVersion: switches.start === 'version-2' ? 2 : quirks.has('echoes-version') ? protocolVersion : 1,
    agentInfo: { name: switches.name ?? 'reference', version: '1.0.0' },
    ...(can.has('steering') ? { _meta: { steering: { supported: true } } } : {}),
    authMethods: switches.authMethods ?? [],
    agentCapabilities: {
      loadSession: can.has('load'),
      mcpCapabilities: { http: can.has('http'), acp: can.has('servers') },
      promptCapabilities: { image: can.has('images'), embeddedContext: can.has('embedded') },
      sessionCapabilities: {
        ...marks(['list', 'resume', 'close', 'delete', 'fork', 'systemPrompt']),
        ...(can.has('directories') ? { additionalDirectories: {} } : {}),
      },
    },
  };
}

async function beginning(): Promise<void> {
  if (quirks.has('opens-slowly')) await sleep(200);
  if (switches.start !== 'form') return;
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  const { result } = await request('elicitation/create', {
    requestId: 1,
    mode: 'form',
    message: 'Who are you?',
    requestedSchema,
  });
  if ((result as { action?: string } | undefined)?.action !== 'accept')
    throw problem(-32_603, 'Nobody answered.');
}

/** What the program does in a terminal: asks for a word and remembers that it was told. */
async function signInHere(): Promise<never> {
  process.stdout.write(
    '\u001b[1mWelcome\u001b[0m to ' +
      `${process.argv[3] ?? 'nobody'}${process.stdout.isTTY ? ' on a terminal' : ''}.\nSee ` +
      `https://login.example/${process.argv[3]}?code=1 for the word.\nYour word: `,
  );
  const word = await new Promise<string>((resolve) =>
    createInterface({ input: process.stdin }).once('line', resolve),
  );
  if (word.trim() !== 'sesame') {
    process.stdout.write('\nThat is not the word.\n');
    process.exit(4);
  }
  remember();
  process.stdout.write('You are signed in.\n');
  process.exit(0);
}

function authenticate({ methodId }: Json): object {
  if (methodId === 'broken') throw problem(-32_603, 'The login server is away.');
  memory.signedIn = true;
  return {};
}

function create(
  { cwd, additionalDirectories, mcpServers, _meta, systemPrompt }: Json,
  messages: readonly string[],
): object {
  if (!memory.signedIn) throw problem(-32_000, 'Authentication required');
  const sessionId = randomUUID();
  const session: Session = {
    cwd: String(cwd),
    folders: (additionalDirectories ?? []) as string[],
    servers: mcpServers,
    given: { _meta, systemPrompt },
    messages: [...messages],
    mode: 'ask',
    model: 'large',
    effort: 'low',
    fast: false,
  };
  sessions.set(sessionId, session);
  keep(sessionId);
  if (quirks.has('speaks-early')) {
    update(sessionId, { sessionUpdate: 'usage_update', used: 10, size: 1_000 });
    update(sessionId, {
      sessionUpdate: 'available_commands_update',
      availableCommands: [
        { name: 'init', description: 'Begins.', input: { hint: 'what' } },
        { name: 'tidy', description: 'Tidies up.', input: { hint: 'where' } },
      ],
    });
  }
  return { sessionId, ...settings(session) };
}

async function replay(id: string): Promise<object | null> {
  const session = load(id);
  for (const text of session.messages) {
    update(id, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    if (quirks.has('replays-slowly')) await sleep(20);
    update(id, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `replayed ${text}` } });
    update(id, {
      sessionUpdate: 'tool_call',
      toolCallId: 'old',
      title: 'Old call',
      status: 'completed',
      content: [{ type: 'terminal', terminalId: 'gone' }],
    });
  }
  return quirks.has('answers-null') ? null : settings(session);
}

async function prompt(id: string, blocks: readonly { type: string; text?: string }[]): Promise<unknown> {
  const session = find(id);
  if (!memory.signedIn) throw problem(-32_000, 'Authentication required');
  if (running.has(id)) throw problem(-32_600, 'Two prompts at once!');
  const said =
    blocks.find(
      (block) =>
        block.type === 'text' &&
        !/^(You are taking over|Instructions for this|The user added|refuse|idle)/.test(block.text ?? ''),
    )?.text ?? '';
  const text = said.startsWith('Parley was restarted') ? brokenOff(session, blocks) : said;
  session.unfinished = text;
  keep(id, session);
  let end = () => {};
  const cancelled = new Promise<void>((resolve) => (end = resolve));
  running.set(id, end);
  const speaker: Speaker = { id, blocks, over: false };
  if (quirks.has('own-words')) void speakOwnWords(id);
  if (quirks.has('echoes-prompt'))
    update(id, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
  try {
    const outcome = await Promise.race([play(speaker, text), cancelled.then(() => 'cancelled' as const)]);
    speaker.over = outcome === 'cancelled';
    session.messages.push(text);
    if (outcome !== 'cancelled') delete session.unfinished;
    keep(id, session);
    if (quirks.has('usage-after-turn'))
      setTimeout(() => update(id, { sessionUpdate: 'usage_update', used: 7, size: 70 }), 500);
    const told = memory.quota && { _meta: { quota: memory.quota } };
    const { wrongAnswer } = memory;
    memory.quota = undefined;
    memory.wrongAnswer = undefined;
    if (wrongAnswer) return wrongAnswer.instead;
    return {
      ...told,
      stopReason: outcome === 'cancelled' && quirks.has('ends-cancelled-turns') ? 'end_turn' : outcome,
    };
  } finally {
    running.delete(id);
  }
}

/** What is left of the prompt that broke off, from our own memory or from what we were told about it. */
function brokenOff({ unfinished }: Session, blocks: readonly { text?: string }[]): string {
  const record = blocks.find(({ text }) => text?.startsWith('You are taking over'))?.text ?? '';
  const told = /User: ((?:(?!\nUser: |\nAssistant: |\n\[|\n\(The turn)[^])*)/.exec(record)?.[1];
  const text = unfinished ?? told ?? '';
  return text.split('\nagain\n').at(-1) ?? '';
}

/** Requests and notifications that no specification knows. */
async function speakOwnWords(sessionId: string): Promise<void> {
  send({ method: '_auth/status_update', params: { state: 'authenticated' } });
  send({ method: 'qwen/notify/session/prompt-suggestion', params: { sessionId } });
  update(sessionId, { sessionUpdate: 'something_new', value: 1 });
  await request('craft/drainMidTurnQueue', { sessionId });
}

function steered(id: string, [block]: readonly { text?: string }[]): object {
  if (block?.text === 'idle') return { outcome: 'promptRequired', reason: 'noRunningTurn' };
  if (block?.text === 'refuse') throw problem(-32_603, 'Not now.');
  update(id, {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: `steered by ${block?.text}` },
  });
  return { outcome: 'injected' };
}

function cancel(session: string): void {
  if (quirks.has('ignores-cancel')) return;
  if (quirks.has('stops-slowly')) setTimeout(() => running.get(session)?.(), 3_000);
  else running.get(session)?.();
}

function supported(capability: string): true {
  if (!can.has(capability)) throw problem(-32_601, 'Method not found');
  return true;
}
