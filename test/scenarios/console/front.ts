// The built console in front of the real host: serves the page itself and passes its socket on with the host's token, so that
// the page keeps its address while the host behind it is stopped and started again.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { assetFor } from '../../../src/io/webAssets.ts';
import type { Served } from '../../kit/parley.ts';

export interface Front {
  readonly address: string;
  /** The host that connections go to from now on; nobody means that they are refused. */
  host: Served | undefined;
  close(): Promise<void>;
}

export async function openFront(host: Served): Promise<Front> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (path === '/healthz') return response.writeHead(front.host ? 200 : 502).end();
    const asset = assetFor(path, 'dist/web');
    return asset ? response.writeHead(200, asset.headers).end(asset.body) : response.writeHead(404).end();
  });
  server.on('upgrade', (request, client: Socket) => {
    if (!front.host) return client.destroy();
    const { port, token } = front.host;
    const upstream = connect(port, '127.0.0.1');
    const kept = Object.entries(request.headers).filter(([name]) => name !== 'host' && name !== 'origin');
    const head = [`GET /ahp?tkn=${token} HTTP/1.1`, `host: 127.0.0.1:${port}`, ...kept.map(([name, value]) => `${name}: ${String(value)}`)];
    upstream.write(`${head.join('\r\n')}\r\n\r\n`);
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    return undefined;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const front: Front = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    host,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return front;
}
