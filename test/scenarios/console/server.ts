// A scripted host behind a real web server: the built console, its health, and AHP over WebSocket on a free
// port. No test knows it.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { assetFor } from '../../../src/io/http/staticFiles.ts';
import type { ScriptedHost } from './scriptedHost.ts';

const built = 'dist/web';

export interface Served {
  readonly address: string;
  readonly token: string;
  /** Cuts every connection and takes no new ones until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface ServeOptions {
  /** Without it everybody may come in, as behind a proxy that signs in for them. */
  readonly token?: string;
}

export async function listen(host: ScriptedHost, { token }: ServeOptions = {}): Promise<Served> {
  let port = 0;
  let server: Server | undefined;
  const sockets = new Set<WebSocket>();
  const start = async (): Promise<void> => {
    const web = new WebSocketServer({ noServer: true });
    server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      if (path === '/healthz') return response.end('{"status":"ok"}');
      const asset = assetFor(path, { folder: built, socket: `ws://127.0.0.1:${port}` });
      if (!asset) return response.writeHead(404).end();
      return response.writeHead(200, asset.headers).end(asset.body);
    });
    server.on('upgrade', (request, socket, head) => {
      const given = new URL(request.url ?? '/', 'http://localhost').searchParams.get('tkn');
      if (token !== undefined && given !== token) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      web.handleUpgrade(request, socket, head, (client) => join(client));
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  const join = (client: WebSocket): void => {
    sockets.add(client);
    const line = host.connect(
      (text) => client.send(text),
      () => client.close(),
    );
    client.on('message', (data: Buffer) => line.receive(data.toString()));
    client.on('close', () => {
      sockets.delete(client);
      line.close();
    });
  };
  const stop = async (): Promise<void> => {
    for (const client of sockets) client.terminate();
    await new Promise<void>((resolve) => {
      if (!server) return resolve();
      server.close(() => resolve());
      server.closeAllConnections();
      server = undefined;
    });
  };
  await start();
  return { address: `http://127.0.0.1:${port}/`, token: token ?? '', stop, start };
}
