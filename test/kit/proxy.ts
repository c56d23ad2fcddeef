// A proxy on loopback that leads every request to one port, and remembers where it should
// have gone and who asked.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Proxy {
  /** With a name and a password in it. */
  readonly url: string;
  readonly asked: readonly string[];
  close(this: void): Promise<void>;
}

export async function proxyTo(port: number): Promise<Proxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on('connection', (socket) => sockets.add(socket));
  proxy.on('connect', ({ url, headers }, socket, head) => {
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://ann:word@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
