// An agent made with the official SDK, run as a process of its own: an independent reading of the protocol on
// the other side. It does what the prompt says: say WORDS, shell COMMAND (asked for, then run in a terminal
// of the client), write PATH TEXT, hang, fail WORDS.
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import type {
  AgentContext,
  PromptRequest,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';

const cwds = new Map<string, string>();
const running = new Map<string, () => void>();

const app = agent({ name: 'sdk' })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: Math.min(params.protocolVersion, 1),
    agentInfo: { name: 'sdk', version: '1.0.0' },
    agentCapabilities: { loadSession: false, sessionCapabilities: { close: {} } },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const sessionId = `sdk-${cwds.size + 1}`;
    cwds.set(sessionId, params.cwd);
    return { sessionId };
  })
  .onRequest(methods.agent.session.close, ({ params }) => running.get(params.sessionId)?.())
  .onRequest(methods.agent.session.prompt, ({ params, client }) => prompt(params, client))
  .onNotification(methods.agent.session.cancel, ({ params }) => running.get(params.sessionId)?.());

app.connect(
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
);
process.stdin.once('end', () => process.exit(0));

async function prompt(
  { sessionId, prompt: blocks }: PromptRequest,
  client: AgentContext,
): Promise<PromptResponse> {
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).at(-1) ?? '';
  const cancelled = new Promise<'cancelled'>((resolve) => running.set(sessionId, () => resolve('cancelled')));
  const done = (async () => {
    for (const line of text.split('\n')) await perform(sessionId, line, client);
    return 'end_turn' as const;
  })();
  try {
    return { stopReason: await Promise.race([done, cancelled]) };
  } finally {
    running.delete(sessionId);
    done.catch(() => {});
  }
}

async function perform(sessionId: string, line: string, client: AgentContext): Promise<void> {
  const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
  if (verb === 'hang') await new Promise(() => {});
  if (verb === 'fail') throw RequestError.internalError(undefined, rest);
  if (verb === 'shell') return shell(sessionId, rest, client);
  await client.notify(methods.client.session.update, {
    sessionId,
    update: {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `${verb === 'say' ? rest : line}\n` },
    },
  });
}

async function shell(sessionId: string, command: string, client: AgentContext): Promise<void> {
  const toolCallId = `sdk-call-${Math.random()}`;
  const call = { toolCallId, title: command, name: 'bash', kind: 'execute', rawInput: { command } } as const;
  const update = (more: object) =>
    client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'tool_call_update', toolCallId, ...more },
    });
  await client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: 'tool_call', status: 'pending', ...call },
  });
  const options: RequestPermissionRequest['options'] = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const { outcome }: RequestPermissionResponse = await client.request(
    methods.client.session.requestPermission,
    { sessionId, toolCall: { ...call }, options },
  );
  if (outcome.outcome === 'cancelled' || outcome.optionId === 'no') return update({ status: 'failed' });
  const { terminalId } = await client.request(methods.client.terminal.create, {
    sessionId,
    command,
    cwd: cwds.get(sessionId) ?? null,
    outputByteLimit: 10_000,
  });
  await update({ status: 'in_progress', content: [{ type: 'terminal', terminalId }] });
  const { exitCode } = await client.request(methods.client.terminal.waitForExit, { sessionId, terminalId });
  await client.request(methods.client.terminal.release, { sessionId, terminalId });
  await update({ status: exitCode === 0 ? 'completed' : 'failed', rawOutput: { exitCode } });
}
