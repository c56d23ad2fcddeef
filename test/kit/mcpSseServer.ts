// A tool server of the older kind over HTTP: events in one stream, messages posted beside it. What it says
// comes from a program behind it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

export interface SseServer {
  /** Without a path; the stream is at `/sse`. */
  readonly url: string;
  close(): void;
}

/**
 * Whoever does not bring the key in the header `x-key` is turned away; a post to the stream is, too, as by
 * every server of that kind.
 */
export async function mcpSseServer(program: string, key?: string): Promise<SseServer> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  let stream: ServerResponse | undefined;
  createInterface({ input: child.stdout }).on('line', (line) =>
    stream?.write(`event: message\ndata: ${line}\n\n`),
  );
  const http: Server = createServer((request, response) => {
    if (key !== undefined && request.headers['x-key'] !== key) response.writeHead(401).end();
    else if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
    } else if (request.url === '/messages') {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          child.stdin.write(`${Buffer.concat(chunks).toString()}\n`);
          response.writeHead(202).end();
        });
    } else response.writeHead(405).end();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close() {
      http.closeAllConnections();
      http.close();
      child.kill();
    },
  };
}
