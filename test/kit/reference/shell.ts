// A command as agents run it through the client: told, asked for, run, told again.
import { spawn } from 'node:child_process';
import { find } from './sessions.ts';
import { quirks } from './switches.ts';
import { nextId, request, update } from './wire.ts';
import type { Json } from './wire.ts';

/** Somebody who carries out a prompt; after a stop nothing more is heard of it. */
export interface Speaker {
  readonly id: string;
  readonly blocks: readonly object[];
  over: boolean;
}

export function tell({ id, over }: Speaker, what: Json): void {
  if (!over) update(id, what);
}

export async function shell(speaker: Speaker, command: string): Promise<void> {
  const { id } = speaker;
  const toolCallId = `call-${nextId()}`;
  const kind = quirks.has('asks-as-other')
    ? { kind: 'other' }
    : quirks.has('asks-without-kind')
      ? {}
      : { kind: 'execute' };
  const call = { toolCallId, title: command, ...kind, rawInput: { command } };
  if (quirks.has('never-asks')) return carryOut(speaker, command, call);
  if (!quirks.has('asks-first')) tell(speaker, { sessionUpdate: 'tool_call', ...call, status: 'pending' });
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const given = (await request('session/request_permission', { sessionId: id, toolCall: call, options }))
    .result as { outcome?: { outcome?: string; optionId?: string } } | undefined;
  const chosen = given?.outcome?.optionId;
  if (chosen !== 'yes' && chosen !== 'always') {
    tell(speaker, {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: 'The user said no.' } }],
    });
    tell(speaker, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Then not.\n' } });
    return;
  }
  return carryOut(speaker, command, { toolCallId });
}

async function carryOut(speaker: Speaker, command: string, call: { toolCallId: string }): Promise<void> {
  const { toolCallId } = call;
  if (quirks.has('never-asks')) tell(speaker, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
  else if (!quirks.has('asks-first'))
    tell(speaker, { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
  const { code, content } = quirks.has('uses-terminals')
    ? await runWithClient(speaker, command, toolCallId)
    : await runAlone(speaker, command);
  tell(speaker, {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: code === 0 ? 'completed' : 'failed',
    content,
    rawOutput: { code },
  });
  tell(speaker, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.\n' } });
}

async function runAlone(
  { id }: Speaker,
  command: string,
): Promise<{ code: number | null; content: object[] }> {
  const { code, output } = await run(command, find(id).cwd);
  return { code, content: [{ type: 'content', content: { type: 'text', text: output } }] };
}

/** In a terminal of the client, as some agents do it: the whole line is the command. */
async function runWithClient(
  speaker: Speaker,
  command: string,
  toolCallId: string,
): Promise<{ code: number | null; content: object[] }> {
  const sessionId = speaker.id;
  const { result, error } = await request('terminal/create', {
    sessionId,
    command,
    args: [],
    cwd: find(sessionId).cwd,
    outputByteLimit: 10_000,
  });
  if (error)
    return { code: 1, content: [{ type: 'content', content: { type: 'text', text: error.message } }] };
  const { terminalId } = result as { terminalId: string };
  tell(speaker, {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    content: [{ type: 'terminal', terminalId }],
  });
  const { result: exit } = await request('terminal/wait_for_exit', { sessionId, terminalId });
  await request('terminal/output', { sessionId, terminalId });
  await request('terminal/release', { sessionId, terminalId });
  return {
    code: (exit as { exitCode: number | null }).exitCode,
    content: [{ type: 'terminal', terminalId }],
  };
}

function run(command: string, cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const pipe of [child.stdout, child.stderr])
      pipe.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('close', (code) => resolve({ code, output }));
  });
}
