// Sections 3.2 and 4.1: the MCP servers that a client gives its session are really used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { client, McpOverAcpProvider, methods } from '@agentclientprotocol/sdk/unstable';
import { fromMcpServer } from '@agentclientprotocol/sdk/experimental/mcp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { ndjson } from '../../../src/rpc/framing/ndjson.ts';
import { RpcError } from '../../../src/rpc/rpcError.ts';
import type { AcpClient } from '../../kit/acpClient.ts';
import { checkedTransport } from '../../kit/acpSchema.ts';
import { sdkStream } from '../../kit/acpStream.ts';
import { spawned } from '../../kit/clients.ts';
import { bundle } from '../../kit/bundle.ts';
import { mcpSseServer } from '../../kit/mcpSseServer.ts';
import type { Bundle } from '../../kit/bundle.ts';
import { verifies } from '../acp-agent.ts';
import { editor, place, selected, spoken } from './harness.ts';
import { eventually } from '../../kit/patience.ts';

let raw: Bundle;
let sdk: Bundle;
const ends: (() => void)[] = [];

beforeAll(async () => {
  [raw, sdk] = (await Promise.all(
    ['mcpRawServer', 'mcpSdkServer'].map((name) =>
      bundle(fileURLToPath(new URL(`../../kit/${name}.ts`, import.meta.url))),
    ),
  )) as [Bundle, Bundle];
});

afterAll(() => {
  for (const end of ends.splice(0)) end();
  raw.dispose();
  sdk.dispose();
});

test(`ACP: ${verifies('new.mcp-used')}`, async () => {
  const user = await editor();
  const headers = [{ name: 'x-key', value: 'letmein' }];
  const mcpServers = [
    { name: 'program', command: process.execPath, args: [raw.path], env: [{ name: 'OWN', value: 'given' }] },
    { type: 'http', name: 'web', url: `http://127.0.0.1:${await listening()}/`, headers },
    { type: 'sse', name: 'stream', url: `${await streaming()}/sse`, headers },
  ];
  const sessionId = await user.newSession({ cwd: place().workspace, mcpServers });
  expect(await called(user, sessionId, { tool: 'program__env {}', says: 'given' })).toBe(true);
  expect(await called(user, sessionId, { tool: 'web__add {"a":2,"b":3}', says: '2 and 3 make 5' })).toBe(
    true,
  );
  expect(await called(user, sessionId, { tool: 'stream__echo {"over":"sse"}', says: '{"over":"sse"}' })).toBe(
    true,
  );
});

/** Calls a tool again and again until the server behind it is up. */
async function called(
  user: AcpClient,
  sessionId: string,
  { tool, says }: { tool: string; says: string },
): Promise<boolean> {
  user.permission = () => selected('allow');
  return eventually(async () => {
    await user.prompt(sessionId, `tool ${tool}\nsay {{result}}`);
    return spoken(user, sessionId).includes(says);
  }, `an answer of ${tool} that says ${says}`);
}

test(`ACP: ${verifies('mcp.newest')}`, async () => {
  const checked = checkedTransport(spawned(place(), ['acp'], ndjson), 'client');
  const cwd = place().workspace;
  const provider = new McpOverAcpProvider();
  const tools = fromMcpServer(() => {
    const server = new McpServer({ name: 'kept', version: '1' });
    server.registerTool(
      'greet',
      { description: 'Greets.', inputSchema: z.object({ who: z.string() }) },
      ({ who }) => ({ content: [{ type: 'text', text: `Hello ${who}, from the editor.` }] }),
    );
    return server;
  });
  const said: string[] = [];
  await client({ name: 'sdk' })
    .onRequest(methods.client.mcp.message, provider.handleRequest)
    .onRequest(methods.client.session.requestPermission, () => ({
      outcome: { outcome: 'selected', optionId: 'allow' },
    }))
    .onNotification(
      methods.client.session.update,
      ({ params: { update } }) =>
        void (
          update.sessionUpdate === 'agent_message_chunk' &&
          update.content.type === 'text' &&
          said.push(update.content.text)
        ),
    )
    .connectWith(sdkStream(checked.transport), async (agent) => {
      const { agentCapabilities } = await agent.request(methods.agent.initialize, {
        protocolVersion: 1,
        clientInfo: { name: 'sdk', version: '1' },
        clientCapabilities: {},
      });
      expect(agentCapabilities).toMatchObject({ mcpCapabilities: { acp: true } });
      const { declaration } = provider.registerServer(agent, { name: 'kept', handler: tools.handler });
      const { sessionId } = (await agent.request(methods.agent.session.new, {
        cwd,
        mcpServers: [declaration],
      })) as { sessionId: string };
      await expect
        .poll(
          async () => {
            await agent.request(methods.agent.session.prompt, {
              sessionId,
              prompt: [{ type: 'text', text: 'tool kept__greet {"who":"Ada"}\nsay {{result}}' }],
            });
            return said.join('');
          },
          { timeout: 100_000 },
        )
        .toContain('Hello Ada, from the editor.');
    });
  expect(checked.problems).toEqual([]);
});

test(`ACP: ${verifies('mcp.earlier')}`, async () => {
  for (const member of ['serverId', 'id']) expect(await usesEarlier(member)).toContain('mcp/connect kept-1');
});

/** The methods that a client of the earlier form has heard, by the time a tool of its server was called. */
async function usesEarlier(member: string): Promise<readonly string[]> {
  const user = await editor();
  const methodsHeard: string[] = [];
  user.answer = (
    method,
    params: {
      serverId?: string;
      acpId?: string;
      connectionId?: string;
      method?: string;
      params?: object;
      requestId?: string;
    },
  ) => {
    methodsHeard.push(`${method} ${params.serverId ?? params.acpId ?? ''}`);
    if (method === 'mcp/connect') return { connectionId: 'c1' };
    if (method === 'mcp/disconnect') return {};
    if (params.connectionId !== 'c1') throw new RpcError(-32602, 'connectionId is missing');
    if (params.method === 'initialize')
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'kept', version: '1' },
      };
    if (params.method === 'tools/list')
      return { tools: [{ name: 'where', description: 'Asks back.', inputSchema: { type: 'object' } }] };
    if (params.method === 'tools/call')
      return user
        .call('mcp/message', { connectionId: 'c1', method: 'roots/list' })
        .then((roots) => ({ content: [{ type: 'text', text: JSON.stringify(roots) }] }));
    throw new RpcError(-32601, `no ${params.method}`);
  };
  const sessionId = await user.newSession({
    cwd: place().workspace,
    mcpServers: [{ type: 'acp', name: 'kept', [member]: 'kept-1' }],
  });
  await called(user, sessionId, { tool: 'kept__where {}', says: `file://${place().workspace}` });
  return methodsHeard;
}

/** A server made with the official library that wants a key; the port it listens on. */
async function listening(): Promise<number> {
  const child = spawn(process.execPath, [sdk.path, 'http', 'letmein'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.push(() => child.kill());
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(port.toString());
}

/** A server of the older kind that wants a key, too. */
async function streaming(): Promise<string> {
  const server = await mcpSseServer(raw.path, 'letmein');
  ends.push(() => server.close());
  return server.url;
}
