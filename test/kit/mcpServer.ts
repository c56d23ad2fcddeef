// A tool server made with the official library: an independent reading of the newest protocol. Over HTTP it
// lets nobody in whom its guard does not know.
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';

export function mcpServer(): McpServer {
  const made = new McpServer(
    { name: 'sdk', version: '1.0.0' },
    { instructions: 'Add before you multiply.', capabilities: { resources: { subscribe: true } } },
  );
  made.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
    },
    ({ a, b }) => ({
      content: [{ type: 'text', text: `${a} and ${b} make ${a + b}` }],
    }),
  );
  made.registerTool('picture', { description: 'Draws.' }, () => ({
    content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  }));
  made.registerTool('fail', { description: 'Fails.' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'No luck today.' }],
  }));
  made.registerTool('wait', { description: 'Waits.' }, () => new Promise(() => {}));
  made.registerTool(
    'need',
    {
      description: 'Needs help.',
      inputSchema: z.object({ what: z.enum(['form', 'page', 'model', 'folders']) }),
    },
    ({ what }, { mcpReq }) => {
      const answered = mcpReq.inputResponses?.['it'];
      return answered === undefined
        ? inputRequired({ inputRequests: { it: needs[what]() } })
        : { content: [{ type: 'text', text: JSON.stringify(answered) }] };
    },
  );
  made.registerPrompt(
    'greet',
    { description: 'Greets.', argsSchema: z.object({ who: z.string() }) },
    ({ who }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
    }),
  );
  made.registerResource('note', 'note://one', { description: 'A note.', mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'one' }],
  }));
  made.registerResource(
    'page',
    new ResourceTemplate('page://{book}/{+path}', { list: undefined }),
    { description: 'A page.' },
    (uri, { book }) => ({ contents: [{ uri: uri.href, text: `${uri.href} of ${String(book)}` }] }),
  );
  return made;
}

const needs = {
  form: () =>
    inputRequired.elicit({
      message: 'How many?',
      requestedSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    }),
  page: () => inputRequired.elicitUrl({ message: 'Confirm there.', url: 'https://pay.example/confirm' }),
  model: () =>
    inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'Say something.' } }],
      systemPrompt: 'Be brief.',
      maxTokens: 10,
    }),
  folders: () => inputRequired.listRoots(),
};

export interface Listening {
  readonly url: string;
  /** Tells everybody who wanted to know. */
  changed(uri: string): void;
  close(): Promise<void>;
}

/** The guard answers what a stranger is told; undefined lets somebody in. */
export async function listenMcp(
  guard: (
    request: IncomingMessage,
    url: string,
  ) =>
    | {
        readonly status: number;
        readonly headers?: { readonly [name: string]: string };
        readonly body?: object;
      }
    | undefined,
  port = 0,
): Promise<Listening> {
  const handler = createMcpHandler(mcpServer);
  const http: Server = createServer((request, response) => {
    const refused = guard(request, url());
    if (refused) {
      response
        .writeHead(refused.status, { 'content-type': 'application/json', ...refused.headers })
        .end(JSON.stringify(refused.body ?? {}));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on(
      'end',
      () =>
        void (async () => {
          const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
            typeof value === 'string' ? [[name, value]] : [],
          );
          const body = request.method === 'POST' ? { body: Buffer.concat(chunks).toString() } : {};
          const answer = await handler.fetch(
            new Request(`http://127.0.0.1${request.url}`, {
              method: request.method ?? 'GET',
              headers,
              ...body,
            }),
          );
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          for await (const chunk of answer.body ?? []) response.write(chunk);
          response.end();
        })(),
    );
  });
  const url = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => {
    http.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `${url()}/mcp`,
    changed: (uri) => handler.notify.resourceUpdated(uri),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
