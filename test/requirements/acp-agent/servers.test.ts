// Sections 3.2 and 4.1: the MCP servers that a client gives its session are really used.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../kit/bundle.ts';
import type { Bundle } from '../../kit/bundle.ts';
import { verifies } from '../acp-agent.ts';
import { editor, place, selected, spoken } from './harness.ts';

let raw: Bundle;
let sdk: Bundle;
const ends: (() => void)[] = [];

beforeAll(async () => {
  [raw, sdk] = await Promise.all(['mcpRawServer', 'mcpSdkServer'].map((name) => bundle(fileURLToPath(new URL(`../../kit/${name}.ts`, import.meta.url))))) as [Bundle, Bundle];
});

afterAll(() => {
  for (const end of ends.splice(0)) end();
  raw.dispose();
  sdk.dispose();
});

test(`ACP: ${verifies('new.mcp-used')}`, async () => {
  const client = await editor();
  client.permission = () => selected('allow');
  const headers = [{ name: 'x-key', value: 'letmein' }];
  const mcpServers = [
    { name: 'program', command: process.execPath, args: [raw.path], env: [{ name: 'OWN', value: 'given' }] },
    { type: 'http', name: 'web', url: `http://127.0.0.1:${await listening()}/`, headers },
    { type: 'sse', name: 'stream', url: `http://127.0.0.1:${await streaming()}/sse`, headers },
  ];
  const sessionId = await client.newSession({ cwd: place().workspace, mcpServers });
  await client.prompt(sessionId, 'say Hello.');
  const said = async (prompt: string) => {
    await client.prompt(sessionId, `${prompt}\nsay {{result}}`);
    return spoken(client, sessionId);
  };
  // A first turn does not wait long for servers, so a slow machine may need another one.
  await expect.poll(() => said('tool program__env {}'), { timeout: 20_000 }).toContain('given');
  await expect.poll(() => said('tool web__add {"a":2,"b":3}'), { timeout: 20_000 }).toContain('2 and 3 make 5');
  await expect.poll(() => said('tool stream__echo {"over":"sse"}'), { timeout: 20_000 }).toContain('{"over":"sse"}');
});

/** A server made with the official library that wants a key; the port it listens on. */
async function listening(): Promise<number> {
  const child = spawn(process.execPath, [sdk.path, 'http', 'letmein'], { stdio: ['ignore', 'pipe', 'inherit'] });
  ends.push(() => child.kill());
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(port.toString());
}

/** A server of the older kind: events in one stream, messages posted beside it. */
async function streaming(): Promise<number> {
  const child = spawn(process.execPath, [raw.path], { stdio: ['pipe', 'pipe', 'inherit'] });
  let stream: ServerResponse | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => stream?.write(`event: message\ndata: ${line}\n\n`));
  const http: Server = createServer((request, response) => {
    if (request.headers['x-key'] !== 'letmein') {
      response.writeHead(401).end();
      return;
    }
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      child.stdin.write(`${Buffer.concat(chunks).toString()}\n`);
      response.writeHead(202).end();
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  ends.push(() => {
    http.closeAllConnections();
    http.close();
    child.kill();
  });
  return (http.address() as AddressInfo).port;
}
