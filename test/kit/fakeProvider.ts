// A model provider on loopback that speaks our wire formats and does what a test tells it; every
// request is written down.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerByKeyword } from './provider/keywords.ts';
import { look } from './provider/json.ts';
import { listAnswer } from './provider/lists.ts';
import { finishOf, frames, saidIn, tokensOf } from './provider/reply.ts';
import type { ModelRequest, Failure, Reply, Wire } from './provider/reply.ts';
import { wires } from './provider/wires.ts';
import type { Loose } from './wire.ts';

export interface FakeProvider {
  /** Where it listens, without a path. */
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** What the next chat requests get, one after the other; the prompt decides where nothing is left. */
  readonly replies: Reply[];
  /** Decides before the queue does. */
  reply: ((asked: ModelRequest, request: Recorded) => Reply | undefined) | undefined;
  /** The models it lists. */
  models: readonly string[];
  /** Its list of models as it stands, in place of one of these names; an error where it is a status. */
  listing: unknown;
  close(): Promise<void>;
}

export interface Recorded {
  readonly path: string;
  /** With its question mark, where there is one. */
  readonly query: string;
  readonly method: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: Loose;
  readonly asked: ModelRequest | undefined;
  /** How the exchange ended: everything was sent, or the client left before. */
  readonly ended: Promise<'sent' | 'left'>;
}

export async function fakeProvider({ port = 0 }: { readonly port?: number } = {}): Promise<FakeProvider> {
  const sockets = new Set<Socket>();
  const requests: Recorded[] = [];
  const memory = { asked: new Map<string, number>() };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const provider: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    replies: [],
    reply: undefined,
    models: ['fake-large', 'fake-small'],
    listing: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return provider;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, search: query } = new URL(request.url ?? '/', 'http://localhost');
    const body = await readBody(request);
    const wire = request.method === 'POST' ? wires.find((each) => each.path.test(path)) : undefined;
    const asked = wire?.ask(look(body), path);
    const ended = new Promise<'sent' | 'left'>((resolve) => {
      response.once('close', () => resolve(response.writableFinished ? 'sent' : 'left'));
    });
    const recorded: Recorded = {
      path,
      query,
      method: request.method ?? '',
      headers: request.headers,
      body,
      asked,
      ended,
    };
    requests.push(recorded);
    if (provider.listing !== undefined && request.method === 'GET' && path.endsWith('/models'))
      return void (typeof provider.listing === 'number'
        ? response.writeHead(provider.listing).end()
        : sendJson(response, provider.listing));
    if (!wire || !asked) return sendJson(response, listAnswer(path, provider.models, body));
    const reply =
      provider.reply?.(asked, recorded) ?? provider.replies.shift() ?? answerByKeyword(asked, memory);
    const first = reply[0];
    if (first && 'fail' in first) return refuse(response, first.fail, wire.refusal(first.fail));
    if (!asked.stream) return sendJson(response, wire.whole(saidIn(reply, asked.model)));
    response.writeHead(200, { 'content-type': wire.contentType, 'cache-control': 'no-cache' });
    await stream(response, reply, { speaker: wire.speaker(asked), encoding: wire.encoding ?? 'utf8' });
  }
}

async function stream(
  response: ServerResponse,
  reply: Reply,
  { speaker, encoding }: { readonly speaker: ReturnType<Wire['speaker']>; readonly encoding: BufferEncoding },
): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    response.once('close', resolve);
  });
  const write = async (parts: readonly string[]) => {
    for (const part of parts) {
      if (response.destroyed) return;
      if (!response.write(part, encoding))
        await Promise.race([
          gone,
          new Promise<void>((resolve) => {
            response.once('drain', resolve);
          }),
        ]);
      // Each piece leaves by itself, as it would from a model that is still thinking.
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  await write(speaker.open(tokensOf(reply)));
  for (const [at, move] of reply.entries()) {
    if ('pause' in move)
      await Promise.race([
        gone,
        new Promise<void>((resolve) => {
          setTimeout(resolve, move.pause).unref();
        }),
      ]);
    else if (('call' in move || 'search' in move) && move.until) {
      const all = frames(move, at, speaker);
      const half = Math.ceil(all.length / 2);
      await write(all.slice(0, half));
      await Promise.race([gone, move.until]);
      await write(all.slice(half));
    } else if ('until' in move && !('call' in move) && !('search' in move))
      await Promise.race([gone, move.until]);
    else if ('idle' in move) return gone;
    else if ('cut' in move) return void (move.cut === 'end' ? response.end() : response.destroy());
    else await write(frames(move, at, speaker));
    if ('fail' in move) return void response.end();
  }
  await write(speaker.close(finishOf(reply), tokensOf(reply)));
  response.end();
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(value === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value ?? { error: { message: 'There is no such thing here.' } }));
}

function refuse(response: ServerResponse, { status, headers, body }: Failure, usual: unknown): void {
  response.writeHead(status, {
    'content-type': body === undefined ? 'application/json' : 'text/plain',
    ...headers,
  });
  response.end(body ?? JSON.stringify(usual));
}
