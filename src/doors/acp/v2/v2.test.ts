// The SDK's experimental client of version 2, with every frame of ours held against the schema that it ships.
import { client, methods } from '@agentclientprotocol/sdk/experimental/v2';
import type {
  ClientContext,
  CreateElicitationRequest,
  InitializeRequest,
  RequestPermissionRequest,
  UpdateSessionNotification,
} from '@agentclientprotocol/sdk/experimental/v2';
import { expect, test } from 'vitest';
import { connect, start } from '../../../../test/kit/acpDoor.ts';
import { checkedV2 } from '../../../../test/kit/acpSchemaV2.ts';
import { sdkStream } from '../../../../test/kit/acpStream.ts';
import { until } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { inTime } from '../../../../test/kit/patience.ts';
import { createMemoryPair } from '../../../rpc/transports/memory.ts';
import { acpDoor } from '../door.ts';

type Update = UpdateSessionNotification['update'];

class Seen {
  readonly updates: Update[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly forms: CreateElicitationRequest[] = [];
  option = 'allow';
  readonly #watchers = new Set<() => void>();

  add(update: Update): void {
    this.updates.push(update);
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves once an update satisfies a condition. */
  update(holds: (update: Update) => boolean, from = 0): Promise<void> {
    const found = () => this.updates.slice(from).some(holds);
    if (found()) return Promise.resolve();
    const held = new Promise<void>((resolve) => {
      const watcher = () => {
        if (!found()) return;
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
    });
    return inTime(held, () => `${holds.toString()} in ${JSON.stringify(this.updates)}`);
  }

  /** Resolves once the chat is idle after at least so many updates. */
  idle(from = 0): Promise<void> {
    return this.update((update) => isState(update, 'idle'), from);
  }

  /** The texts by message, and the last word about each tool call and about the plan. */
  view(): object {
    const texts = new Map<string, string>();
    const tools = new Map<string, object>();
    let plan: unknown;
    for (const update of this.updates) {
      if (update.sessionUpdate === 'user_message' || isChunk(update)) {
        const { messageId, content } = update as { messageId: string; content: unknown };
        const blocks = Array.isArray(content) ? content : [content];
        const text = blocks.map((block) => (block as { text?: string }).text ?? '').join('');
        texts.set(messageId, (Array.isArray(content) ? '' : (texts.get(messageId) ?? '')) + text);
      }
      if (update.sessionUpdate === 'tool_call_update') {
        const { sessionUpdate: _, ...call } = update as { sessionUpdate: string; toolCallId: string };
        tools.set(call.toolCallId, { ...tools.get(call.toolCallId), ...call });
      }
      if (update.sessionUpdate === 'plan_update') plan = (update as { plan?: unknown }).plan;
    }
    return { texts: [...texts], tools: [...tools], plan };
  }
}

function isChunk({ sessionUpdate }: Update): boolean {
  return sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk';
}

function isState(update: Update, state: string): boolean {
  return update.sessionUpdate === 'state_update' && (update as { state?: string }).state === state;
}

async function withClient(
  host: Rig,
  run: (agent: ClientContext, seen: Seen) => Promise<void>,
  capabilities: InitializeRequest['capabilities'] = {},
): Promise<void> {
  const [mine, theirs] = createMemoryPair();
  const checked = checkedV2(theirs);
  const served = acpDoor({ version: '1.2.3' }).serve(checked.transport, host.host);
  const seen = new Seen();
  const app = client({ name: 'sdk' })
    .onNotification(methods.client.session.update, ({ params }) => seen.add(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      seen.asked.push(params);
      return { outcome: { outcome: 'selected', optionId: seen.option } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      seen.forms.push(params);
      return { action: 'accept', content: { colour: 'r' } };
    });
  await app.connectWith(sdkStream(mine), async (agent) => {
    const hello = await agent.request(methods.agent.initialize, {
      protocolVersion: 2,
      info: { name: 'sdk', version: '2' },
      capabilities,
    });
    expect(hello).toMatchObject({ protocolVersion: 2, info: { name: 'parley', version: '1.2.3' } });
    await run(agent, seen);
  });
  await served;
  expect(checked.frames.length).toBeGreaterThan(1);
  expect(checked.problems).toEqual([]);
}

async function working(): Promise<Rig> {
  const host = await start();
  host.scripts.set('work', async (turn) => {
    turn.report({ kind: 'text.added', item: 'r', channel: 'reasoning', text: 'Hm.' });
    turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'I wi' });
    turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'll.' });
    turn.report({ kind: 'plan.set', entries: [{ text: 'Edit', status: 'active', priority: 'high' }] });
    const call = { tool: 't', title: 'Edit a', toolKind: 'edit' } as const;
    turn.report({ kind: 'tool.started', ...call, name: 'edit_file', source: 'native' });
    turn.report({
      kind: 'tool.ready',
      ...call,
      input: { path: '/w/a' },
      locations: [{ path: '/w/a', line: 1 }],
    });
    const intent = { name: 'edit_file', toolKind: 'edit', input: { path: '/w/a' }, paths: ['/w/a'] } as const;
    const { allowed } = await turn.approve({ tool: 't', intent, title: 'Edit a' });
    if (allowed) {
      const content = [
        { type: 'edit', path: '/w/a', before: 'one\n', after: 'two\n' },
        { type: 'edit', path: '/w/b', before: 'gone\n', after: null },
        { type: 'edit', path: '/w/c', before: null, after: 'new\n' },
      ] as const;
      turn.report({ kind: 'tool.ended', tool: 't', result: { status: 'done', content } });
    }
    turn.report({ kind: 'usage.reported', usage: { context: { used: 1, size: 2 }, cost: 0.5 } });
    turn.report({ kind: 'notice.added', level: 'warning', text: 'Mind this.\nIt is slow.' });
  });
  return host;
}

const text = (words: string) => [{ type: 'text' as const, text: words }];
const place = { cwd: '/w', mcpServers: [] };

test('a turn with thoughts, a plan, a tool and its permission, told by states', async () => {
  const host = await working();
  await withClient(host, async (agent, seen) => {
    const { sessionId, configOptions } = await agent.request(methods.agent.session.new, place);
    expect(configOptions).toMatchObject([{ configId: 'model', type: 'select', currentValue: 'script/one' }]);
    const { messageId } = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: text('work'),
    });
    await seen.update((update) => isState(update, 'idle') && 'stopReason' in update);
    const states = seen.updates.flatMap((update) =>
      update.sessionUpdate === 'state_update' ? [update] : [],
    );
    expect(states.map((update) => (update as { state?: string }).state).slice(1)).toEqual([
      'running',
      'requires_action',
      'running',
      'idle',
    ]);
    expect(states.at(-1)).toMatchObject({ stopReason: 'end_turn' });
    expect(seen.asked).toMatchObject([
      { title: 'Edit a', subject: { type: 'tool_call', toolCall: { toolCallId: expect.any(String) } } },
    ]);
    expect(seen.view()).toMatchObject({
      texts: [
        [messageId, 'work'],
        [expect.any(String), 'Hm.'],
        [expect.any(String), 'I will.'],
      ],
      tools: [
        [
          expect.any(String),
          {
            name: 'edit_file',
            status: 'completed',
            content: [
              { type: 'diff', changes: [{ operation: 'modify', path: '/w/a' }] },
              { type: 'diff', changes: [{ operation: 'delete', path: '/w/b' }] },
              { type: 'diff', changes: [{ operation: 'add', path: '/w/c' }] },
            ],
          },
        ],
      ],
      plan: { type: 'items', entries: [{ content: 'Edit', status: 'in_progress', priority: 'high' }] },
    });
    const patch = JSON.stringify(seen.view());
    expect(patch).toContain('--- a/w/a\\n+++ b/w/a\\n@@ -1,1 +1,1 @@\\n-one\\n+two');
    expect(patch).toContain('+++ /dev/null');
    expect(seen.updates).toContainEqual({
      sessionUpdate: 'notice',
      severity: 'warning',
      title: 'Mind this.',
      description: 'It is slow.',
    });
  });
});

test('a question is a form for a client that knows forms', async () => {
  const host = await start();
  const answers: unknown[] = [];
  host.scripts.set('ask', async (turn) => {
    const choices = [{ id: 'r', label: 'Red' }];
    const colour = { id: 'colour', message: 'Which?', answer: { type: 'one', choices } } as const;
    answers.push(await turn.ask({ kind: 'question', message: 'Choose.', questions: [colour] }));
  });
  const run = async (agent: ClientContext, seen: Seen) => {
    const { sessionId } = await agent.request(methods.agent.session.new, place);
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: text('ask') });
    await seen.update((update) => 'stopReason' in update);
    expect(seen.forms).toMatchObject([{ mode: 'form', sessionId, message: 'Choose.' }]);
  };
  await withClient(host, run, { elicitation: { form: {} } });
  expect(answers).toEqual([{ kind: 'fields', values: { colour: 'r' } }]);
});

test('a command is shown in a terminal, with its output as it is and its exit code', async () => {
  const host = await start();
  host.scripts.set('run', async (turn) => {
    const call = { tool: 't', title: '$ make', toolKind: 'execute' } as const;
    turn.report({ kind: 'tool.started', ...call, name: 'shell_command', source: 'native' });
    turn.report({ kind: 'tool.ready', ...call, input: { command: 'make' } });
    for (const words of ['one\n', '```two'])
      turn.report({ kind: 'tool.output', tool: 't', output: { append: words } });
    const content = ['Exit code: 2', 'one\n```two'].map((line) => ({ type: 'text', text: line }) as const);
    turn.report({
      kind: 'tool.ended',
      tool: 't',
      result: { status: 'failed', content, error: 'It failed.' },
    });
  });
  await withClient(host, async (agent, seen) => {
    const { sessionId } = await agent.request(methods.agent.session.new, place);
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: text('run') });
    await seen.update((update) => 'stopReason' in update);
    const terminal = seen.updates.findLast(({ sessionUpdate }) => sessionUpdate === 'terminal_update');
    expect(terminal).toMatchObject({ command: 'make', exitStatus: { exitCode: 2 } });
    const { terminalId, output } = terminal as { terminalId: string; output: { data: string } };
    expect(Buffer.from(output.data, 'base64').toString()).toBe('one\n```two');
    expect(seen.view()).toMatchObject({
      tools: [
        [
          terminalId,
          {
            status: 'failed',
            content: [
              { type: 'terminal', terminalId },
              { type: 'content', content: { type: 'text', text: 'It failed.' } },
            ],
          },
        ],
      ],
    });
  });
});

test('a second prompt steers the running turn, and is answered when the agent has it', async () => {
  const host = await start();
  let steered: () => void = () => {};
  const waiting = new Promise<void>((resolve) => (steered = resolve));
  host.scripts.set('long', async (turn) => {
    await waiting;
    for (const message of turn.log.takeSteering())
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: `got ${message.text}` });
  });
  await withClient(host, async (agent, seen) => {
    const { sessionId } = await agent.request(methods.agent.session.new, place);
    const send = (words: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: text(words) });
    const first = await send('long');
    let isAnswered = false;
    const second = send('rather this').then((answer) => {
      isAnswered = true;
      return answer;
    });
    const session = host.host.opened(sessionId);
    if (!session) throw new Error('not open');
    await until(session, ({ chats }) => chats[sessionId]?.steering.length === 1);
    expect(isAnswered).toBe(false);
    steered();
    const { messageId } = await second;
    await seen.idle(2);
    expect(seen.view()).toMatchObject({
      texts: [
        [first.messageId, 'long'],
        [messageId, 'rather this'],
        [expect.any(String), 'got rather this'],
      ],
    });
  });
});

test('a session is resumed with its past or without, and a cancel ends turn and waiting prompts', async () => {
  const host = await working();
  host.scripts.set(
    'hang',
    ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }))),
  );
  let id = '';
  const views: object[] = [];
  await withClient(host, async (agent, seen) => {
    const { sessionId } = await agent.request(methods.agent.session.new, place);
    id = sessionId;
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: text('work') });
    await seen.update((update) => isState(update, 'idle') && 'stopReason' in update);
    views.push(seen.view());
  });
  await withClient(host, async (agent, seen) => {
    const listed = await agent.request(methods.agent.session.list, { cwd: '/w' });
    expect(listed.sessions).toMatchObject([{ sessionId: id, cwd: '/w' }]);
    await agent.request(methods.agent.session.resume, {
      sessionId: id,
      cwd: '/w',
      replayFrom: { type: 'start' },
    });
    await seen.idle();
    expect(seen.view()).toEqual(views[0]);
  });
  await withClient(host, async (agent, seen) => {
    await agent.request(methods.agent.session.resume, { sessionId: id, cwd: '/w' });
    await seen.idle();
    expect(seen.view()).toMatchObject({ texts: [], tools: [] });
    await agent.request(methods.agent.session.prompt, { sessionId: id, prompt: text('hang') });
    const refused = agent
      .request(methods.agent.session.prompt, { sessionId: id, prompt: text('later') })
      .catch((error: unknown) => error);
    const session = host.host.opened(id);
    if (!session) throw new Error('not open');
    await until(session, ({ chats }) => chats[id]?.steering.length === 1);
    await agent.notify(methods.agent.session.cancel, { sessionId: id });
    expect(await refused).toMatchObject({ code: -32800 });
    await seen.update((update) => (update as { stopReason?: string }).stopReason === 'cancelled');
    await expect(
      agent.request(methods.agent.session.resume, {
        sessionId: id,
        cwd: '/w',
        replayFrom: { type: 'middle' } as never,
      }),
    ).rejects.toMatchObject({ code: -32602 });
    await agent.request(methods.agent.session.setConfigOption, {
      sessionId: id,
      configId: 'model',
      type: 'id',
      value: 'script/one',
    });
    await agent.request(methods.agent.session.close, { sessionId: id });
    await agent.request(methods.agent.session.delete, { sessionId: id });
    expect((await agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
  });
});

test('two clients of version 2 and one of version 1 end equal', async () => {
  const host = await working();
  await withClient(host, async (one, first) => {
    const { sessionId } = await one.request(methods.agent.session.new, place);
    await withClient(host, async (two, second) => {
      const old = await connect(host);
      await two.request(methods.agent.session.resume, { sessionId, cwd: '/w' });
      await old.call('session/resume', { sessionId, cwd: '/w' });
      second.option = 'none';
      await one.request(methods.agent.session.prompt, { sessionId, prompt: text('work') });
      for (const seen of [first, second]) await seen.update((update) => 'stopReason' in update);
      const before = [first, second].map(({ updates }) => updates.length);
      await old.prompt(sessionId, 'work');
      await Promise.all(
        [first, second].map((seen, i) => seen.update((update) => 'stopReason' in update, before[i])),
      );
      expect(second.view()).toEqual(first.view());
      const words = old
        .updates(sessionId)
        .flatMap((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
            ? [update.content.text]
            : [],
        )
        .join('')
        .replaceAll(/\n\n[^\n]+\n[^\n]+\n\n/g, '');
      expect(words).toBe('I will.I will.');
      const { texts } = first.view() as { texts: [string, string][] };
      expect(texts.map(([, said]) => said)).toEqual(['work', 'Hm.', 'I will.', 'work', 'Hm.', 'I will.']);
    });
  });
});

test('a client that asks for version 2 in the form of version 1 gets version 1', async () => {
  const host = await start();
  const plain = await connect(host, {}, { protocolVersion: 2 });
  expect(plain.sent[0]?.result).toMatchObject({ protocolVersion: 1 });
});
