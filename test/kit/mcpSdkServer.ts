// A tool server made with the official library, run as a process of its own: an independent reading of the newest protocol. `http` lets it listen.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

function server(): McpServer {
  const made = new McpServer({ name: 'sdk', version: '1.0.0' }, { instructions: 'Add before you multiply.' });
  made.registerTool('add', { title: 'Add', description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: 'text', text: `${a} and ${b} make ${a + b}` }],
  }));
  made.registerTool('picture', { description: 'Draws.' }, () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] }));
  made.registerTool('fail', { description: 'Fails.' }, () => ({ isError: true, content: [{ type: 'text', text: 'No luck today.' }] }));
  made.registerPrompt('greet', { description: 'Greets.', argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
  }));
  made.registerResource('note', 'note://one', { description: 'A note.', mimeType: 'text/plain' }, (uri) => ({ contents: [{ uri: uri.href, text: 'one' }] }));
  return made;
}

if (process.argv[2] === 'http') listen(process.argv[3]);
else serveStdio(server);

/** A key, where one is given, must be in the header `x-key`. */
function listen(key: string | undefined): void {
  const handler = createMcpHandler(server);
  const http = createServer((request, response) => {
    if (key !== undefined && request.headers['x-key'] !== key) {
      response.writeHead(401).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void (async () => {
      const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []));
      const body = request.method === 'POST' ? { body: Buffer.concat(chunks).toString() } : {};
      const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? 'GET', headers, ...body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    })());
  });
  http.listen(0, '127.0.0.1', () => process.stdout.write(`${(http.address() as AddressInfo).port}\n`));
}
