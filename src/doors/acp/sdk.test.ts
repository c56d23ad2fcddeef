// The official SDK as an independent client of our door.
import { client, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type {
  ClientContext,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
} from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { start } from '../../../test/kit/acpDoor.ts';
import { checkedTransport } from '../../../test/kit/acpSchema.ts';
import { sdkStream } from '../../../test/kit/acpStream.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { createMemoryPair } from '../../rpc/transports/memory.ts';
import { acpDoor } from './door.ts';

interface Seen {
  readonly updates: SessionNotification[];
  readonly asked: RequestPermissionRequest[];
}

async function withClient(
  host: Rig,
  run: (agent: ClientContext, seen: Seen) => Promise<void>,
): Promise<void> {
  const [mine, theirs] = createMemoryPair();
  const checked = checkedTransport(theirs);
  const served = acpDoor({ version: '1.2.3' }).serve(checked.transport, host.host);
  const seen: Seen = { updates: [], asked: [] };
  const app = client({ name: 'sdk' })
    .onNotification(methods.client.session.update, ({ params }) => void seen.updates.push(params))
    .onRequest(methods.client.session.requestPermission, ({ params }): RequestPermissionResponse => {
      seen.asked.push(params);
      return { outcome: { outcome: 'selected', optionId: params.options[0]?.optionId ?? '' } };
    });
  await app.connectWith(sdkStream(mine), async (agent) => {
    await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'sdk', version: '2' },
      clientCapabilities: {},
    });
    await run(agent, seen);
  });
  await served;
  expect(checked.problems).toEqual([]);
}

async function scripted(): Promise<Rig> {
  const host = await start();
  host.scripts.set('edit', async (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'I will.' });
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'write_file',
      title: 'Write',
      toolKind: 'edit',
      source: 'native',
    });
    turn.report({
      kind: 'tool.ready',
      tool: 't',
      input: { path: '/w/a' },
      title: 'Write a',
      toolKind: 'edit',
      locations: [{ path: '/w/a' }],
      preview: [{ type: 'edit', path: '/w/a', before: null, after: 'new' }],
    });
    const { allowed } = await turn.approve({
      tool: 't',
      intent: { name: 'write_file', toolKind: 'edit', input: { path: '/w/a' }, paths: ['/w/a'] },
      title: 'Write a',
    });
    if (allowed) turn.report({ kind: 'tool.ended', tool: 't', result: { status: 'done', content: [] } });
  });
  host.scripts.set('wait', (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Waiting.' });
    return new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve(), { once: true }));
  });
  return host;
}

const prompt = (sessionId: string, text: string) => ({
  sessionId,
  prompt: [{ type: 'text' as const, text }],
});

test('initialize, new, prompt with permission, load and list', async () => {
  const host = await scripted();
  let made = '';
  await withClient(host, async (agent, seen) => {
    const { sessionId, configOptions } = await agent.request(methods.agent.session.new, {
      cwd: '/w',
      mcpServers: [],
    });
    made = sessionId;
    expect(configOptions?.map(({ id, category }) => ({ id, category }))).toEqual([
      { id: 'model', category: 'model' },
    ]);
    expect(await agent.request(methods.agent.session.prompt, prompt(sessionId, 'edit'))).toEqual({
      stopReason: 'end_turn',
    });
    expect(seen.asked).toMatchObject([
      {
        sessionId,
        toolCall: {
          title: 'Write a',
          content: [{ type: 'diff', path: '/w/a', oldText: null, newText: 'new' }],
        },
      },
    ]);
    expect(seen.updates.map(({ update }) => update.sessionUpdate)).toEqual([
      'agent_message_chunk',
      'tool_call',
      'tool_call_update',
      'tool_call_update',
      'tool_call_update',
    ]);
    expect(seen.updates.at(-1)?.update).toMatchObject({ status: 'completed' });
  });
  await withClient(host, async (agent, seen) => {
    const { sessions } = await agent.request(methods.agent.session.list, {});
    expect(sessions).toMatchObject([{ sessionId: made, cwd: '/w' }]);
    await agent.request(methods.agent.session.load, { sessionId: made, cwd: '/w', mcpServers: [] });
    expect(seen.updates.map(({ update }) => update.sessionUpdate).slice(0, 3)).toEqual([
      'user_message_chunk',
      'agent_message_chunk',
      'tool_call',
    ]);
    expect(seen.asked).toEqual([]);
  });
});

test('cancel, set an option, close and delete', async () => {
  const host = await scripted();
  await withClient(host, async (agent, seen) => {
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: '/w', mcpServers: [] });
    const answer = agent.request(methods.agent.session.prompt, prompt(sessionId, 'wait'));
    while (seen.updates.length === 0) await new Promise(setImmediate);
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await answer).toEqual({ stopReason: 'cancelled' });
    expect(
      await agent.request(methods.agent.session.setConfigOption, {
        sessionId,
        configId: 'model',
        value: 'script/one',
      }),
    ).toMatchObject({ configOptions: [{ currentValue: 'script/one' }] });
    expect(await agent.request(methods.agent.session.close, { sessionId })).toEqual({});
    await agent.request(methods.agent.session.resume, { sessionId, cwd: '/w' });
    expect(await agent.request(methods.agent.session.delete, { sessionId })).toEqual({});
    await expect(
      agent.request(methods.agent.session.load, { sessionId, cwd: '/w', mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32002, data: { sessionId } });
  });
});

test('the session helper of the SDK reads a whole turn', async () => {
  const host = await scripted();
  await withClient(host, async (agent) => {
    const text = await agent.buildSession('/w').withSession(async (session) => {
      void session.prompt('edit');
      return session.readText();
    });
    expect(text).toBe('I will.');
  });
});
