// A small ACP agent for tests, run as a process of its own. It remembers its sessions on disk, does what the prompt says, one directive a
// line, and misbehaves in every way that real agents do, by switches in the variable REFERENCE_AGENT.
//
//   say WORDS           think WORDS        stream COUNT WORDS   update JSON (a session/update)   stranger JSON (one for another session)
//   call METHOD JSON    asks the client and says its answer     notify METHOD JSON shell COMMAND (a call as agents make them)
//   put PATH JSON (writes a file by itself)
//   pause MS            hang               crash [CODE]         leave child (a process that outlives a crash)
//   raw TEXT            garbage COUNT      flood KILOBYTES    endless KILOBYTES (one line)      late MS DIRECTIVE (after the answer)
//   stop REASON         lose (the conversation)   fail CODE WORDS    memory (how many messages it remembers)   show (the whole prompt)   environment NAME
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Switches {
  readonly directory?: string;
  /** What it can do beyond the baseline. */
  readonly can?: readonly ('resume' | 'load' | 'fork' | 'list' | 'close' | 'delete' | 'directories' | 'images' | 'embedded' | 'systemPrompt' | 'steering' | 'servers' | 'http')[];
  readonly offers?: readonly ('modes' | 'models' | 'options')[];
  /** How it starts: not at all, with an error, never answering, in a wrong version, or only after a login or a form. */
  readonly start?: 'exit' | 'error' | 'silent' | 'version-2' | 'login' | 'form';
  readonly authMethods?: readonly object[];
  /** Ways of real agents. */
  readonly quirks?: readonly (
    | 'echoes-version' | 'ends-cancelled-turns' | 'ignores-cancel' | 'ignores-end' | 'speaks-early' | 'greets-on-stdout' | 'forgets' | 'replays-slowly'
    | 'usage-after-turn' | 'echoes-prompt' | 'answers-null'
    // How it asks about a command: of no kind, of any kind, before it has told of the call, or never.
    | 'asks-without-kind' | 'asks-as-other' | 'asks-first' | 'never-asks'
    // It runs commands in terminals of the client, as whole lines; its words for others are its own; it takes its time to leave; it tells no complete call.
    | 'uses-terminals' | 'own-words' | 'leaves-slowly'
    // Where it has lost a conversation, it says so in its own way.
    | 'lost-as-invalid' | 'lost-as-internal'
  )[];
}

type Json = Record<string, unknown>;
type Message = { id?: number | string; method?: string; params?: Json; result?: unknown; error?: { code: number; message: string } };
type Session = { cwd: string; folders: readonly string[]; servers?: unknown; given?: unknown; messages: string[]; mode: string; model: string; effort: string; fast: boolean };

const switches = JSON.parse(process.env['REFERENCE_AGENT'] ?? '{}') as Switches;
const can = new Set<string>(switches.can);
const offers = new Set<string>(switches.offers);
const quirks = new Set<string>(switches.quirks);
const folder = switches.directory;
const sessions = new Map<string, Session>();
const waiting = new Map<number, (answer: Message) => void>();
const running = new Map<string, () => void>();
/** What servers behind the client have said unasked. */
const notified: unknown[] = [];
let lastId = 0;
/** What the next answer says of the tokens that were used, as one agent says it. */
let quota: Json | undefined;
const account = folder === undefined ? undefined : join(folder, 'account');
let signedIn = switches.start !== 'login' || (account !== undefined && existsSync(account));

if (process.argv[2] === 'login') void signInHere();
else serve();

function serve(): void {
  if (switches.start === 'exit') {
    process.stderr.write('I do not want to.\n');
    process.exit(3);
  }
  if (quirks.has('greets-on-stdout')) process.stdout.write('Welcome to the reference agent!\n\u001b[32mready\u001b[0m\n');
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
  if (message.method === 'mcp/message') return void (message.id === undefined ? notified.push(message.params) : send({ id: message.id, result: { answered: message.method } }));
  if (message.id === undefined) return undefined;
  try {
    send({ id: message.id, result: await answer(message.method, message.params ?? {}) });
  } catch (error) {
    const failure = error as { code?: number; message: string };
    if (failure.code !== 0) send({ id: message.id, error: { code: failure.code ?? -32_603, message: failure.message } });
  }
  return undefined;
}

function answer(method: string, params: Json): unknown {
  const id = String(params['sessionId']);
  switch (method) {
    case 'initialize': return initialize(params);
    case 'authenticate': return authenticate(params);
    case 'session/new': return switches.start === 'form' ? fillIn().then(() => create(params, [])) : create(params, []);
    case 'session/fork': return supported('fork') && create(params, find(id).messages);
    case 'session/resume': return supported('resume') && { ...settings(load(id)) };
    case 'session/load': return supported('load') && replay(id);
    case 'session/list': return supported('list') && { sessions: [...sessions].map(([sessionId, { cwd, messages }]) => ({ sessionId, cwd, title: messages[0] ?? null })), nextCursor: null };
    case 'session/close': return supported('close') && (sessions.delete(id), {});
    case 'session/delete': return supported('delete') && forget(id);
    case 'session/set_mode': return set(id, { mode: String(params['modeId']) }), {};
    case 'session/set_model': return set(id, { model: String(params['modelId']) }), {};
    case 'session/set_config_option': return configure(id, params);
    case '_session/steering': return steered(id, params['prompt'] as { text?: string }[]);
    case 'session/prompt': return prompt(id, params['prompt'] as { type: string; text?: string }[]);
    default: throw problem(-32_601, 'Method not found');
  }
}

function initialize({ protocolVersion, clientCapabilities }: Json): unknown {
  if (switches.start === 'error') throw problem(-32_603, 'Not today.');
  if (switches.start === 'silent') return new Promise(() => {});
  process.env['CLIENT_CAPABILITIES'] = JSON.stringify(clientCapabilities);
  const marks = (names: readonly string[]) => Object.fromEntries(names.filter((name) => can.has(name)).map((name) => [name, {}]));
  return {
    protocolVersion: switches.start === 'version-2' ? 2 : quirks.has('echoes-version') ? protocolVersion : 1,
    agentInfo: { name: 'reference', version: '1.0.0' },
    ...(can.has('steering') ? { _meta: { steering: { supported: true } } } : {}),
    authMethods: switches.authMethods ?? [],
    agentCapabilities: {
      loadSession: can.has('load'),
      mcpCapabilities: { http: can.has('http'), acp: can.has('servers') },
      promptCapabilities: { image: can.has('images'), embeddedContext: can.has('embedded') },
      sessionCapabilities: { ...marks(['list', 'resume', 'close', 'delete', 'fork', 'systemPrompt']), ...(can.has('directories') ? { additionalDirectories: {} } : {}) },
    },
  };
}

async function fillIn(): Promise<void> {
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  const { result } = await request('elicitation/create', { requestId: 1, mode: 'form', message: 'Who are you?', requestedSchema });
  if ((result as { action?: string } | undefined)?.action !== 'accept') throw problem(-32_603, 'Nobody answered.');
}

/** What the program does in a terminal: asks for a word and remembers that it was told. */
async function signInHere(): Promise<never> {
  process.stdout.write(`\u001b[1mWelcome\u001b[0m to ${process.argv[3] ?? 'nobody'}${process.stdout.isTTY ? ' on a terminal' : ''}.\nSee https://login.example/${process.argv[3]}?code=1 for the word.\nYour word: `);
  const word = await new Promise<string>((resolve) => createInterface({ input: process.stdin }).once('line', resolve));
  if (word.trim() !== 'sesame') {
    process.stdout.write('\nThat is not the word.\n');
    process.exit(4);
  }
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  if (account !== undefined) writeFileSync(account, 'yes');
  process.stdout.write('You are signed in.\n');
  process.exit(0);
}

function authenticate({ methodId }: Json): object {
  if (methodId === 'broken') throw problem(-32_603, 'The login server is away.');
  signedIn = true;
  return {};
}

function create({ cwd, additionalDirectories, mcpServers, _meta, systemPrompt }: Json, messages: readonly string[]): object {
  if (!signedIn) throw problem(-32_000, 'Authentication required');
  const sessionId = randomUUID();
  const session: Session = { cwd: String(cwd), folders: (additionalDirectories ?? []) as string[], servers: mcpServers, given: { _meta, systemPrompt }, messages: [...messages], mode: 'ask', model: 'large', effort: 'low', fast: false };
  sessions.set(sessionId, session);
  keep(sessionId);
  if (quirks.has('speaks-early')) {
    update(sessionId, { sessionUpdate: 'usage_update', used: 10, size: 1_000 });
    update(sessionId, { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'init', description: 'Begins.', input: { hint: 'what' } }, { name: 'tidy', description: 'Tidies up.', input: { hint: 'where' } }] });
  }
  return { sessionId, ...settings(session) };
}

function settings({ mode, model, effort, fast }: Session): object {
  const modes = [{ id: 'ask', name: 'Ask' }, { id: 'plan', name: 'Plan', description: 'Only plans.' }];
  const models = [{ modelId: 'large', name: 'Large' }, { modelId: 'small', name: 'Small' }];
  return {
    ...(offers.has('modes') ? { modes: { currentModeId: mode, availableModes: modes } } : {}),
    ...(offers.has('models') ? { models: { currentModelId: model, availableModels: models } } : {}),
    ...(offers.has('options') ? { configOptions: configOptions({ mode, model, effort, fast }) } : {}),
  };
}

function configOptions({ mode, model, effort, fast }: Pick<Session, 'mode' | 'model' | 'effort' | 'fast'>): object[] {
  const choices = (...values: readonly string[]) => values.map((value) => ({ value, name: value.toUpperCase() }));
  return [
    { id: 'm', name: 'Mode', category: 'mode', type: 'select', currentValue: mode, options: choices('ask', 'plan') },
    { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model, options: [{ group: 'g', name: 'All', options: choices('large', 'small') }] },
    { id: 'effort', name: 'Effort', category: 'thought_level', type: 'select', currentValue: effort, options: choices('low', 'high') },
    { id: 'fast', name: 'Fast', category: 'model_config', type: 'boolean', currentValue: fast },
    { id: 'broken' },
  ];
}

function configure(id: string, { configId, value }: Json): object {
  const key = configId === 'm' ? 'mode' : String(configId);
  set(id, { [key]: value });
  return { configOptions: configOptions(find(id)) };
}

async function replay(id: string): Promise<object | null> {
  const session = load(id);
  for (const text of session.messages) {
    update(id, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    if (quirks.has('replays-slowly')) await sleep(20);
    update(id, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `replayed ${text}` } });
    update(id, { sessionUpdate: 'tool_call', toolCallId: 'old', title: 'Old call', status: 'completed', content: [{ type: 'terminal', terminalId: 'gone' }] });
  }
  return quirks.has('answers-null') ? null : settings(session);
}

async function prompt(id: string, blocks: readonly { type: string; text?: string }[]): Promise<object> {
  const session = find(id);
  if (!signedIn) throw problem(-32_000, 'Authentication required');
  if (running.has(id)) throw problem(-32_600, 'Two prompts at once!');
  const text = blocks.find((block) => block.type === 'text' && !/^(You are taking over|Instructions for this|The user has added|refuse|idle)/.test(block.text ?? ''))?.text ?? '';
  let end = () => {};
  const cancelled = new Promise<void>((resolve) => (end = resolve));
  running.set(id, end);
  const speaker: Speaker = { id, blocks, over: false };
  if (quirks.has('own-words')) void speakOwnWords(id);
  if (quirks.has('echoes-prompt')) update(id, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
  try {
    const outcome = await Promise.race([play(speaker, text), cancelled.then(() => 'cancelled' as const)]);
    speaker.over = outcome === 'cancelled';
    session.messages.push(text);
    keep(id, session);
    if (quirks.has('usage-after-turn')) setTimeout(() => update(id, { sessionUpdate: 'usage_update', used: 7, size: 70 }), 500);
    const told = quota && { _meta: { quota } };
    quota = undefined;
    return { ...told, stopReason: outcome === 'cancelled' && quirks.has('ends-cancelled-turns') ? 'end_turn' : outcome };
  } finally {
    running.delete(id);
  }
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
  update(id, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `steered by ${block?.text}` } });
  return { outcome: 'injected' };
}

function cancel(session: string): void {
  if (!quirks.has('ignores-cancel')) running.get(session)?.();
}

/** Somebody who carries out a prompt; after a stop nothing more is heard of it. */
interface Speaker {
  readonly id: string;
  readonly blocks: readonly object[];
  over: boolean;
}

async function play(speaker: Speaker, text: string): Promise<string> {
  for (const line of text.split('\n')) {
    const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
    const stop = await perform(speaker, verb, rest);
    if (stop !== undefined) return stop;
  }
  return 'end_turn';
}

async function perform(speaker: Speaker, verb: string, rest: string): Promise<string | undefined> {
  const { id, blocks } = speaker;
  const [, first = '', more = ''] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
  const say = (words: string) => tell(speaker, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
  switch (verb) {
    case 'say': say(`${rest}\n`); return undefined;
    case 'think': update(id, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: rest } }); return undefined;
    case 'stream': for (let count = 0; count < Number(first); count += 1) say(more); return undefined;
    case 'update': update(id, JSON.parse(rest) as Json); return undefined;
    case 'stranger': update('somebody-else', JSON.parse(rest) as Json); return undefined;
    case 'call': say(`${await ask(id, first, more === '' ? {} : (JSON.parse(more) as Json))}\n`); return undefined;
    case 'notify': send({ method: first, params: JSON.parse(more) as Json }); return undefined;
    case 'shell': await shell(speaker, rest); return undefined;
    case 'quota': quota = JSON.parse(rest) as Json; return undefined;
    case 'put': writeFileSync(first, JSON.parse(more) as string); return undefined;
    case 'pause': await sleep(Number(first)); return undefined;
    case 'hang': return new Promise(() => {});
    case 'crash': return process.exit(first === '' ? 1 : Number(first));
    case 'leave': spawn('sh', ['-c', "trap '' TERM HUP; while :; do sleep 0.1; done"], { stdio: ['ignore', 'inherit', 'inherit'] }); return undefined;
    case 'raw': process.stdout.write(`${rest}\n`); return undefined;
    case 'garbage': for (let count = 0; count < Number(first); count += 1) process.stdout.write(count % 2 ? '{"jsonrpc":"2.0","id":' + String(count + 900) + ',"result":{}}\n' : 'not json {\n'); return undefined;
    case 'endless': await endless(Number(first)); return undefined;
    case 'flood': await flood(id, Number(first)); return undefined;
    case 'late': setTimeout(() => void play({ id, blocks, over: false }, more), Number(first)); return undefined;
    case 'stop': return first;
    case 'fail': throw problem(Number(first), more);
    case 'memory': say(`I remember ${find(id).messages.length}.\n`); return undefined;
    case 'settings': say(`${JSON.stringify({ ...find(id), cwd: undefined, messages: undefined, given: undefined })}\n`); return undefined;
    case 'folders': say(`${[find(id).cwd, ...find(id).folders].join(' ')}\n`); return undefined;
    case 'servers': say(`${JSON.stringify(find(id).servers)}\n`); return undefined;
    case 'notified': say(`${JSON.stringify(notified)}\n`); return undefined;
    case 'given': say(`${JSON.stringify(find(id).given)}\n`); return undefined;
    case 'lose': sessions.delete(id); return undefined;
    case 'logout': signedIn = false; return undefined;
    case 'show': say(JSON.stringify(blocks)); return undefined;
    case 'environment': say(`${first}=${process.env[first] ?? 'nothing'}\n`); return undefined;
    case 'process': say(`pid ${process.pid}\n`); return undefined;
    default: say(`You said: ${[verb, rest].join(' ')}`); return undefined;
  }
}

/** One chunk after the other as fast as the pipe takes them. */
async function flood(sessionId: string, kilobytes: number): Promise<void> {
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(1_000) } } } })}\n`;
  for (let count = 0; count < kilobytes; count += 1) if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** One line, as long as nobody could want it. */
async function endless(kilobytes: number): Promise<void> {
  const piece = 'x'.repeat(100_000);
  for (let written = 0; written < kilobytes; written += 100) if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  process.stdout.write('\n');
}

/** A command as most agents run it: told, asked for, run, told again. */
async function shell(speaker: Speaker, command: string): Promise<void> {
  const { id } = speaker;
  const toolCallId = `call-${(lastId += 1)}`;
  const kind = quirks.has('asks-as-other') ? { kind: 'other' } : quirks.has('asks-without-kind') ? {} : { kind: 'execute' };
  const call = { toolCallId, title: command, ...kind, rawInput: { command } };
  if (quirks.has('never-asks')) return carryOut(speaker, command, call);
  if (!quirks.has('asks-first')) tell(speaker, { sessionUpdate: 'tool_call', ...call, status: 'pending' });
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'always', name: 'Always', kind: 'allow_always' }, { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const given = (await request('session/request_permission', { sessionId: id, toolCall: call, options })).result as { outcome?: { outcome?: string; optionId?: string } } | undefined;
  const chosen = given?.outcome?.optionId;
  if (chosen !== 'yes' && chosen !== 'always') {
    tell(speaker, { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed', content: [{ type: 'content', content: { type: 'text', text: 'The user said no.' } }] });
    tell(speaker, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Then not.\n' } });
    return;
  }
  return carryOut(speaker, command, { toolCallId });
}

async function carryOut(speaker: Speaker, command: string, call: { toolCallId: string }): Promise<void> {
  const { toolCallId } = call;
  if (quirks.has('never-asks')) tell(speaker, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
  else if (!quirks.has('asks-first')) tell(speaker, { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
  const { code, content } = quirks.has('uses-terminals') ? await runWithClient(speaker, command, toolCallId) : await runAlone(speaker, command);
  tell(speaker, { sessionUpdate: 'tool_call_update', toolCallId, status: code === 0 ? 'completed' : 'failed', content, rawOutput: { code } });
  tell(speaker, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.\n' } });
}

async function runAlone({ id }: Speaker, command: string): Promise<{ code: number | null; content: object[] }> {
  const { code, output } = await run(command, find(id).cwd);
  return { code, content: [{ type: 'content', content: { type: 'text', text: output } }] };
}

/** In a terminal of the client, as some agents do it: the whole line is the command. */
async function runWithClient(speaker: Speaker, command: string, toolCallId: string): Promise<{ code: number | null; content: object[] }> {
  const sessionId = speaker.id;
  const { result, error } = await request('terminal/create', { sessionId, command, args: [], cwd: find(sessionId).cwd, outputByteLimit: 10_000 });
  if (error) return { code: 1, content: [{ type: 'content', content: { type: 'text', text: error.message } }] };
  const { terminalId } = result as { terminalId: string };
  tell(speaker, { sessionUpdate: 'tool_call_update', toolCallId, content: [{ type: 'terminal', terminalId }] });
  const { result: exit } = await request('terminal/wait_for_exit', { sessionId, terminalId });
  await request('terminal/output', { sessionId, terminalId });
  await request('terminal/release', { sessionId, terminalId });
  return { code: (exit as { exitCode: number | null }).exitCode, content: [{ type: 'terminal', terminalId }] };
}

function run(command: string, cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('close', (code) => resolve({ code, output }));
  });
}

async function ask(id: string, method: string, params: Json): Promise<string> {
  const { result, error } = await request(method, { sessionId: id, ...params });
  return error ? `error ${error.code} ${error.message}` : JSON.stringify(result);
}

function request(method: string, params: Json): Promise<Message> {
  lastId += 1;
  const id = lastId;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function tell({ id, over }: Speaker, what: Json): void {
  if (!over) update(id, what);
}

function update(sessionId: string, what: Json): void {
  send({ method: 'session/update', params: { sessionId, update: what } });
}

function send(message: Message): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function find(id: string): Session {
  const session = sessions.get(id);
  if (!session) throw problem(quirks.has('lost-as-invalid') ? -32_602 : quirks.has('lost-as-internal') ? -32_603 : -32_002, 'Session not found');
  return session;
}

function load(id: string): Session {
  const path = fileOf(id);
  if (quirks.has('forgets') || path === undefined || !existsSync(path)) throw problem(-32_603, 'No such conversation');
  const session = JSON.parse(readFileSync(path, 'utf8')) as Session;
  sessions.set(id, session);
  return session;
}

function set(id: string, changes: Partial<Session>): void {
  Object.assign(find(id), changes);
  keep(id);
}

function keep(id: string, session = sessions.get(id)): void {
  const path = fileOf(id);
  if (path === undefined || folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify(session));
}

function forget(id: string): object {
  sessions.delete(id);
  const path = fileOf(id);
  if (path !== undefined) rmSync(path, { force: true });
  return {};
}

function fileOf(id: string): string | undefined {
  return folder === undefined ? undefined : join(folder, `${id}.json`);
}

function supported(capability: string): true {
  if (!can.has(capability)) throw problem(-32_601, 'Method not found');
  return true;
}

function problem(code: number, message: string): Error & { code: number } {
  return Object.assign(new Error(message), { code });
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
