// Servers of tools that an agent is given: those of clients, those of the settings, and those that it
// reaches only through us.
import { expect, test } from 'vitest';
import { answerOf, brief, prompt } from '../../../../test/kit/agentRig.ts';
import { answered, start } from '../../../../test/kit/agentStart.ts';
import type { ChannelListener, ChannelMessage, ToolServer } from '../../../host/workspace/workbench.ts';

const program = { type: 'process', name: 'p', command: '/bin/p', args: ['x'], env: { A: '1' } } as const;
const http = { type: 'http', name: 'h', url: 'http://h', headers: { k: 'v' } } as const;
const told = { name: 'p', command: '/bin/p', args: ['x'], env: [{ name: 'A', value: '1' }] };

/** A server that somebody else keeps; it repeats what it hears. */
function kept(heard: ChannelMessage[]): ToolServer {
  return {
    type: 'client',
    name: 'c',
    key: 'k',
    open: (hear: ChannelListener) => ({
      send(message) {
        heard.push(message);
        if (message.method === 'gone') return hear.closed('It has left.');
        if (message.method === undefined || message.id === undefined) return undefined;
        hear.message({ method: 'notifications/progress', params: { at: message.method } });
        hear.message({ id: 'mine', method: 'sampling/createMessage', params: {} });
        return hear.message(
          message.method === 'wrong'
            ? { id: message.id, error: { code: -1, message: 'Wrong.' } }
            : { id: message.id, result: { heard: message.method, params: message.params } },
        );
      },
      close: () => void heard.push({ method: 'closed' }),
    }),
  };
}

test('those that clients want and those of the settings go to the agent, as far as it takes them', async () => {
  const { rig, session } = await start({
    servers: [program, { ...http, name: 'p' }, { ...http, name: 'far' }],
  });
  rig.host.toolServers.set(session.id, [program, http]);
  const turn = await prompt(session, 'servers');
  expect(JSON.parse(answerOf(turn))).toEqual([told]);
  expect(brief(turn.items)[0]).toBe('warning: Reference cannot use the MCP servers h, far.');
});

test("of a name that both have the client's is taken", async () => {
  const { rig, session } = await start({
    switches: { can: ['http'] },
    servers: [{ ...http, name: 'p' }, http],
  });
  rig.host.toolServers.set(session.id, [program]);
  expect(JSON.parse(await answered(session, 'servers'))).toEqual([
    told,
    { type: 'http', name: 'h', url: 'http://h', headers: [{ name: 'k', value: 'v' }] },
  ]);
});

test('one that a client keeps is reached through us by an agent that can, each request for itself', async () => {
  const heard: ChannelMessage[] = [];
  const { rig, session } = await start({ switches: { can: ['servers'] } });
  rig.host.toolServers.set(session.id, [kept(heard)]);
  expect(JSON.parse(await answered(session, 'servers'))).toEqual([{ type: 'acp', name: 'c', serverId: 'k' }]);
  const answer = await answered(
    session,
    [
      'call mcp/message {"serverId":"k","requestId":"r1","method":"tools/list","params":{"a":1}}',
      'call mcp/message {"serverId":"k","requestId":"r2","method":"wrong"}',
      'call mcp/message {"serverId":"nobody","requestId":"r3","method":"x"}',
      'call mcp/message {"serverId":"k","requestId":"r4","method":"gone"}',
      'notified',
    ].join('\n'),
  );
  expect(answer.trim().split('\n')).toEqual([
    '{"result":{"heard":"tools/list","params":{"a":1}}}',
    '{"error":{"code":-1,"message":"Wrong."}}',
    'error -32602 There is no such server.',
    '{"error":{"code":-32603,"message":"It has left."}}',
    '[{"serverId":"k","requestId":"r1","method":"notifications/progress","params":{"at":"tools/list"}},{"serverId":"k","requestId":"r2","method":"notifications/progress","params":{"at":"wrong"}}]',
  ]);
  expect(heard).toContainEqual({ id: 'mine', error: { code: -32_601, message: 'Method not found' } });
});

test('and in the earlier form over connections, in both directions', async () => {
  const heard: ChannelMessage[] = [];
  const { rig, session } = await start({ switches: { can: ['servers'] } });
  rig.host.toolServers.set(session.id, [kept(heard)]);
  const answer = await answered(
    session,
    [
      'call mcp/connect {"acpId":"k"}',
      'call mcp/message {"connectionId":"connection-1","method":"tools/call","params":{"b":2}}',
      'call mcp/message {"connectionId":"connection-1","method":"wrong"}',
      'notify mcp/message {"connectionId":"connection-1","method":"notifications/initialized"}',
      'call mcp/message {"connectionId":"other","method":"x"}',
      'call mcp/disconnect {"connectionId":"connection-1"}',
      'call mcp/other {}',
    ].join('\n'),
  );
  expect(answer.trim().split('\n')).toEqual([
    '{"connectionId":"connection-1"}',
    '{"heard":"tools/call","params":{"b":2}}',
    'error -1 Wrong.',
    'error -32602 There is no such MCP connection.',
    '{}',
    'error -32601 Method not found',
  ]);
  expect(heard).toContainEqual({ method: 'notifications/initialized' });
  expect(heard).toContainEqual({ id: 'mine', result: { answered: 'mcp/message' } });
  expect(heard.at(-1)).toEqual({ method: 'closed' });
});
