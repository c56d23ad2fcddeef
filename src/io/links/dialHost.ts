// Opens the connection to another host: checks its certificate before anything is sent, and its proof before
// anything is believed.
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import type { LinkAddress } from '../../host/ownership/hostLinks.ts';
import { LinkBroken } from '../../host/ownership/hostLinks.ts';
import { createWebSocketTransport } from '../../rpc/transports/websocket.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { acceptHeader, linkPath } from './linkProof.ts';
import type { LinkProof } from './linkProof.ts';

/** How long a host may take to answer a call, in milliseconds. */
const patience = 5_000;

/** Rejects with LinkBroken. */
export async function dialHost(address: LinkAddress, proof: LinkProof): Promise<Transport> {
  const url = new URL(linkPath, address.url);
  const isEncrypted = url.protocol === 'https:';
  url.protocol = isEncrypted ? 'wss:' : 'ws:';
  if (isEncrypted && address.fingerprint === undefined) throw new LinkBroken('Its certificate is not known.');
  const carrier = isEncrypted ? await secured(url, address.fingerprint ?? '') : undefined;
  const socket = new WebSocket(url, {
    headers: { authorization: proof.authorization },
    handshakeTimeout: patience,
    perMessageDeflate: false,
    followRedirects: false,
    ...(carrier ? { createConnection: () => carrier } : {}),
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      socket.terminate();
      reject(new LinkBroken(why));
    };
    let isProved = false;
    socket.on('upgrade', ({ headers }) => {
      const answer = headers[acceptHeader];
      isProved = typeof answer === 'string' && proof.accepts(answer);
    });
    socket.on('error', (error) => fail(`${error.message}.`));
    socket.on('open', () => {
      if (!isProved) return fail('Another program answers at its address.');
      socket.removeAllListeners();
      resolve(createWebSocketTransport(socket, { keepAliveMs: 5_000 }));
    });
  });
}

/** The certificate is the one that the host has published in the store, whoever signed it. */
async function secured({ hostname, port }: URL, fingerprint: string): Promise<TLSSocket> {
  const socket = connectTls({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || 443),
    rejectUnauthorized: false,
    timeout: patience,
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      socket.destroy();
      reject(new LinkBroken(why));
    };
    socket.once('error', (error: Error) => fail(`${error.message}.`));
    socket.once('timeout', () => fail('It does not answer.'));
    socket.once('secureConnect', () => {
      if (socket.getPeerCertificate().fingerprint256 !== fingerprint)
        return fail('Its certificate is not the one in the store.');
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      resolve(socket);
    });
  });
}
