// Clients of the first generation get nothing that the schema of their library rejects.
import { expect, test } from 'vitest';
import { connect, start } from '../../../../test/kit/acpDoor.ts';
import { isRejectedByFirst } from '../../../../test/kit/acpFirstGeneration.ts';
import type { Rig } from '../../../../test/kit/host.ts';

/** A turn with all that the library of that time does not know. */
async function busyHost(): Promise<Rig> {
  const host = await start();
  host.scripts.set('go', async (turn) => {
    const call = { name: 'x', title: 'X', toolKind: 'other' } as const;
    turn.report({ kind: 'usage.reported', usage: { context: { used: 1, size: 2 }, cost: 1 } });
    turn.report({ kind: 'tool.started', tool: 't', source: 'agent', ...call });
    turn.report({ kind: 'tool.ready', tool: 't', input: [1, 2], title: 'X', toolKind: 'other' });
    const intent = { name: 'x', toolKind: 'other', input: [1, 2], paths: [] } as const;
    await turn.approve({ tool: 't', intent, title: 'X' });
    const result = { status: 'done', content: [], raw: ['a'] } as const;
    turn.report({ kind: 'tool.ended', tool: 't', result });
    turn.report({ kind: 'notice.added', level: 'info', text: 'By the way.' });
    turn.report({ kind: 'plan.set', entries: [{ text: 'One', status: 'active', priority: 'high' }] });
  });
  return host;
}

/** What each client was told, by kind, and what the old schema has against it. */
async function told(hello: object) {
  const host = await busyHost();
  const client = await connect(host, {}, { clientInfo: undefined, ...hello });
  client.permission = ({ options }) => ({
    outcome: { outcome: 'selected', optionId: options[0]?.optionId },
  });
  const sessionId = await client.newSession();
  const session = host.host.opened(sessionId);
  session?.dispatch(
    { kind: 'changeSession', changes: { title: 'T', model: 'script/two' } },
    { kind: 'host' },
  );
  await client.prompt(sessionId, 'go');
  const notifications = client.sent.filter(({ method }) => method === 'session/update');
  const asked = client.sent.filter(({ method }) => method === 'session/request_permission');
  return {
    kinds: new Set(notifications.map(({ params }) => params?.update?.sessionUpdate)),
    rejected: client.sent.filter(isRejectedByFirst),
    asked: asked.length,
  };
}

test('a client without a name gets only what its library knows', async () => {
  const { kinds, rejected, asked } = await told({ clientCapabilities: { fs: { readTextFile: false } } });
  expect(rejected).toEqual([]);
  expect(asked).toBe(1);
  for (const kind of ['tool_call', 'tool_call_update', 'agent_thought_chunk', 'plan'] as const)
    expect(kinds).toContain(kind);
});

test.each([
  ['a name', { clientInfo: { name: 'new', version: '1' } }],
  ['a newer capability', { clientCapabilities: { session: { configOptions: { boolean: {} } } } }],
])('a client with %s gets everything', async (_, hello) => {
  const { kinds } = await told(hello);
  for (const kind of ['usage_update', 'session_info_update', 'config_option_update'] as const)
    expect(kinds).toContain(kind);
});
