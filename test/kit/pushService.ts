// A push service on loopback and its browser in one: it decrypts what arrives.
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PushSubscription } from '../../src/io/push/webPush.ts';

export interface PushService {
  readonly subscription: PushSubscription;
  readonly received: readonly { readonly headers: IncomingHttpHeaders; readonly text: string }[];
  close(): void;
}

export interface PushServiceOptions {
  readonly status?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export async function pushService({ status = 201, tls }: PushServiceOptions = {}): Promise<PushService> {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const auth = randomBytes(16);
  const received: { headers: IncomingHttpHeaders; text: string }[] = [];
  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, text: decrypt(Buffer.concat(chunks), pair, auth) });
      response.writeHead(status).end();
    });
  };
  const server = tls ? createSecureServer(tls, answer) : createServer(answer);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    subscription: {
      endpoint: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/push/1`,
      keys: { p256dh: pair.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function decrypt(message: Buffer, pair: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, ours] = [message.subarray(0, 16), message.subarray(21, 21 + message.readUInt8(20))];
  const sealed = message.subarray(21 + ours.length);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), ours]);
  const key = Buffer.from(hkdfSync('sha256', pair.computeSecret(ours), auth, info, 32));
  const part = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const cipher = createDecipheriv('aes-128-gcm', part('aes128gcm', 16), part('nonce', 12));
  cipher.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  if (text.at(-1) !== 2) throw new Error('The last record does not end with its mark.');
  return text.subarray(0, -1).toString();
}
