// An agent of version 2 made with the experimental side of the official SDK, run as a process of its own. It
// does what the prompt says: say WORDS, whole WORDS (in parts, and then as a whole), shell COMMAND (asked for
// as a call, then run by the agent itself), command COMMAND (asked for as a command), write PATH TEXT, remove
// PATH, plan WORDS, settings, hang, fail WORDS. With the argument `both` it also speaks version 1, and says
// which version it speaks; with `login` it works only after somebody has signed in.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent as agentV1, methods as methodsV1, ndJsonStream } from '@agentclientprotocol/sdk';
import { agent, agentProtocolRouter, methods, RequestError } from '@agentclientprotocol/sdk/experimental/v2';
import type {
  AgentContext,
  DiffChange,
  PromptRequest,
  RequestPermissionRequest,
  SessionConfigOption,
  SessionUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';

interface Open {
  readonly cwd: string;
  mode: string;
  stop: (() => void) | undefined;
  /** Prompts that came while one was under way. */
  readonly steered: string[];
}

const open = new Map<string, Open>();
let count = 0;

const capabilities = {
  session: { prompt: { image: {} }, mcp: { http: {} }, additionalDirectories: {}, delete: {} },
};

const wantsLogin = process.argv.includes('login');
let isSignedIn = false;

const app = agent({ name: 'sdk' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 2,
    info: { name: 'sdk', version: '2.0.0' },
    capabilities,
    authMethods: wantsLogin ? [{ type: 'agent', methodId: 'browser', name: 'In the browser' }] : [],
  }))
  .onRequest(methods.agent.auth.login, ({ params }) => {
    isSignedIn = params.methodId === 'browser';
    return {};
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (wantsLogin && !isSignedIn) throw RequestError.authRequired();
    const sessionId = `sdk-${process.pid}-${(count += 1)}`;
    open.set(sessionId, { cwd: params.cwd, mode: 'careful', stop: undefined, steered: [] });
    return { sessionId, configOptions: optionsOf('careful'), availableCommands };
  })
  .onRequest(methods.agent.session.resume, ({ params }) => {
    open.set(params.sessionId, { cwd: params.cwd, mode: 'careful', stop: undefined, steered: [] });
    return { configOptions: optionsOf('careful'), availableCommands };
  })
  .onRequest(methods.agent.session.list, () => ({ sessions: [] }))
  .onRequest(methods.agent.session.close, ({ params }) => {
    open.get(params.sessionId)?.stop?.();
    return {};
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    const session = sessionOf(params.sessionId);
    if (params.type === 'id' && typeof params.value === 'string') session.mode = params.value;
    return { configOptions: optionsOf(session.mode) };
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) => prompt(params, client))
  .onNotification(methods.agent.session.cancel, ({ params }) => open.get(params.sessionId)?.stop?.());

const older = agentV1({ name: 'sdk' })
  .onRequest(methodsV1.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methodsV1.agent.session.new, () => ({ sessionId: 'v1' }))
  .onRequest(methodsV1.agent.session.prompt, async ({ params, client }) => {
    const content = { type: 'text', text: 'I speak version 1.' } as const;
    const update = { sessionUpdate: 'agent_message_chunk', content } as const;
    await client.notify(methodsV1.client.session.update, { sessionId: params.sessionId, update });
    return { stopReason: 'end_turn' };
  });

const router = agentProtocolRouter().withV2(app);
if (process.argv.includes('both')) router.withV1(older);
router.connect(
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
);
process.stdin.once('end', () => process.exit(0));

const availableCommands = [{ type: 'command' as const, name: 'review', description: 'Reviews.' }];

function optionsOf(mode: string): SessionConfigOption[] {
  const options = ['careful', 'quick'].map((value) => ({ value, name: value.toUpperCase() }));
  return [{ type: 'select', configId: 'mode', name: 'Mode', category: 'mode', currentValue: mode, options }];
}

function sessionOf(id: string): Open {
  const session = open.get(id);
  if (!session) throw new Error('no session');
  return session;
}

interface Work {
  readonly sessionId: string;
  readonly client: AgentContext;
}

async function tell({ sessionId, client }: Work, update: SessionUpdate): Promise<void> {
  await client.notify(methods.client.session.update, { sessionId, update });
}

/** The answer says only that the message is part of the conversation; the work goes on. */
async function prompt(
  { sessionId, prompt: blocks }: PromptRequest,
  client: AgentContext,
): Promise<{ messageId: string }> {
  const messageId = `message-${(count += 1)}`;
  const session = sessionOf(sessionId);
  const last = blocks.findLast(({ type }) => type === 'text');
  const text = last && 'text' in last && typeof last.text === 'string' ? last.text : '';
  const given = { sessionId, client };
  await tell(given, { sessionUpdate: 'user_message', messageId, content: blocks });
  if (session.stop) {
    session.steered.push(text);
    return { messageId };
  }
  void work(given, session, text);
  return { messageId };
}

async function work(given: Work, session: Open, text: string): Promise<void> {
  const cancelled = new Promise<'cancelled'>((resolve) => (session.stop = () => resolve('cancelled')));
  await tell(given, { sessionUpdate: 'state_update', state: 'running' });
  const done = (async () => {
    for (const line of text.split('\n')) await perform(given, line);
    return 'end_turn' as const;
  })();
  try {
    const stopReason = await Promise.race([done, cancelled]);
    session.stop = undefined;
    const end = { sessionUpdate: 'state_update', state: 'idle', stopReason };
    await tell(given, end as SessionUpdate);
  } catch (error) {
    session.stop = undefined;
    const message = error instanceof Error ? error.message : String(error);
    const end = { state: 'idle', stopReason: 'error', error: { code: -32_603, message } } as const;
    await tell(given, { sessionUpdate: 'state_update', ...end });
  }
}

async function perform(given: Work, line: string): Promise<void> {
  const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
  const deed = deeds[verb];
  if (deed) return deed(given, rest);
  const messageId = `answer-${(count += 1)}`;
  const content = { type: 'text', text: `${verb === 'say' ? rest : line}\n` } as const;
  await tell(given, { sessionUpdate: 'agent_message_chunk', messageId, content });
}

const deeds: { readonly [verb: string]: ((given: Work, rest: string) => Promise<void>) | undefined } = {
  hang: () => new Promise(() => {}),
  fail: (_given, rest) => Promise.reject(new Error(rest)),
  settings: (given) => perform(given, `say ${sessionOf(given.sessionId).mode}`),
  async steered(given) {
    const { steered } = sessionOf(given.sessionId);
    while (steered.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await perform(given, `say got ${steered.join()}`);
  },
  async whole(given, rest) {
    const messageId = `answer-${(count += 1)}`;
    const part = { type: 'text', text: rest.slice(0, 3) } as const;
    await tell(given, { sessionUpdate: 'agent_message_chunk', messageId, content: part });
    await tell(given, { sessionUpdate: 'agent_message', messageId, content: [{ type: 'text', text: rest }] });
  },
  async plan(given, rest) {
    const entries = rest.split(',').map((content) => ({
      content,
      priority: 'high' as const,
      status: 'pending' as const,
    }));
    await tell(given, { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries } });
  },
  shell: (given, command) => shell(given, command),
  async command(given, command) {
    const subject = { type: 'command', command, cwd: sessionOf(given.sessionId).cwd } as const;
    const isAllowed = await allowed(given, { title: 'Run it?', subject });
    await perform(given, `say ${isAllowed ? 'allowed' : 'refused'}`);
  },
  async write(given, rest) {
    const [, path = '', text = ''] = /^(\S+) (.*)$/.exec(rest) ?? [];
    const before = readOr(path);
    const toolCallId = `write-${(count += 1)}`;
    const operation = before === undefined ? 'add' : 'modify';
    const content = [
      {
        type: 'diff' as const,
        changes: [{ operation, path } as DiffChange],
        patch: { format: 'git_patch', text: patchOf(path, before, `${text}\n`) },
      },
    ];
    const call = { toolCallId, name: 'write', title: `Write ${path}`, kind: 'edit', content } as const;
    await tell(given, { sessionUpdate: 'tool_call_update', status: 'pending', ...call });
    if (!(await allowed(given, { title: 'May I?', subject: { type: 'tool_call', toolCall: call } }))) return;
    writeFileSync(path, `${text}\n`);
    await tell(given, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  },
  async remove(given, path) {
    const toolCallId = `remove-${(count += 1)}`;
    const content = [{ type: 'diff' as const, changes: [{ operation: 'delete', path } as const] }];
    const call = { toolCallId, name: 'remove', title: `Remove ${path}`, kind: 'delete', content } as const;
    await tell(given, { sessionUpdate: 'tool_call_update', status: 'in_progress', ...call });
    rmSync(path);
    await tell(given, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  },
};

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The whole file, as git would say it. */
function patchOf(path: string, before: string | undefined, after: string): string {
  const name = path.slice(1);
  const old = before?.replace(/\n$/, '').split('\n') ?? [];
  const fresh = after.replace(/\n$/, '').split('\n');
  return [
    `diff --git a/${name} b/${name}`,
    `--- ${before === undefined ? '/dev/null' : `a/${name}`}`,
    `+++ b/${name}`,
    `@@ -${old.length > 0 ? 1 : 0},${old.length} +1,${fresh.length} @@`,
    ...old.map((line) => `-${line}`),
    ...fresh.map((line) => `+${line}`),
    '',
  ].join('\n');
}

async function allowed(
  { sessionId, client }: Work,
  question: Pick<RequestPermissionRequest, 'title' | 'subject'>,
): Promise<boolean> {
  const options: RequestPermissionRequest['options'] = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    ...question,
    options,
  });
  return outcome.outcome === 'selected' && outcome['optionId'] !== 'no';
}

/** Runs the command itself and tells what it prints. */
async function shell(given: Work, command: string): Promise<void> {
  const toolCallId = `call-${(count += 1)}`;
  const terminalId = `terminal-${count}`;
  const call = { toolCallId, title: command, name: 'bash', kind: 'execute', rawInput: { command } } as const;
  await tell(given, { sessionUpdate: 'tool_call_update', status: 'pending', ...call });
  const update = (more: object) => tell(given, { sessionUpdate: 'tool_call_update', toolCallId, ...more });
  if (!(await allowed(given, { title: 'May I?', subject: { type: 'tool_call', toolCall: call } })))
    return update({ status: 'cancelled' });
  await tell(given, { sessionUpdate: 'terminal_update', terminalId, command });
  await update({ status: 'in_progress' });
  const shown = { type: 'terminal' as const, terminalId };
  await tell(given, { sessionUpdate: 'tool_call_content_chunk', toolCallId, content: shown });
  const child = spawn('/bin/sh', ['-c', command], { cwd: sessionOf(given.sessionId).cwd });
  child.stdout.on('data', (data: Buffer) => {
    void tell(given, {
      sessionUpdate: 'terminal_output_chunk',
      terminalId,
      data: data.toString('base64'),
    });
  });
  const exitCode = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  await tell(given, { sessionUpdate: 'terminal_update', terminalId, exitStatus: { exitCode } });
  await update({ status: exitCode === 0 ? 'completed' : 'failed', rawOutput: { exitCode } });
}
