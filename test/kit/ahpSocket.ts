// The AHP door of the real program over its network: a socket with the token at the path that VS Code uses,
// and a client of version 1 on it.
import { WebSocket } from 'ws';
import { createWebSocketTransport } from '../../src/rpc/transports/websocket.ts';
import { v1Client } from './ahp/integer1/client.ts';
import type { V1Client } from './ahp/integer1/client.ts';
import type { Served } from './parley.ts';

export async function socketTo({ port, token }: Served): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?tkn=${token}`);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return socket;
}

export async function v1At(host: Served, options: { id: string; earlier?: V1Client }): Promise<V1Client> {
  return v1Client(createWebSocketTransport(await socketTo(host)), options);
}
