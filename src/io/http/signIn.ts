// Redeems the code of a sign-in link: a browser brings the key of its page, a program gets a token.
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { deviceName } from '../../base/deviceName.ts';
import type { Devices } from '../auth/devices.ts';
import { isPageKey } from '../auth/pageKey.ts';

export interface SignInAnswer {
  readonly status: 200 | 400 | 403 | 413 | 415 | 503;
  readonly body: { readonly error: string } | { readonly device: string } | { readonly token: string };
}

const request = z.object({ code: z.string(), key: z.string().refine(isPageKey).optional() });

/** In bytes. */
const longestBody = 4_096;

/** The caller has checked host and origin. A key makes sense only with the origin of its page. */
export async function answerSignIn(message: IncomingMessage, devices: Devices): Promise<SignInAnswer> {
  if (message.headers['content-type']?.split(';')[0]?.trim() !== 'application/json')
    return { status: 415, body: { error: 'Send JSON.' } };
  const text = await readBody(message);
  if (text === undefined) return { status: 413, body: { error: 'The request is too large or incomplete.' } };
  const asked = request.safeParse(jsonIn(text));
  const { origin } = message.headers;
  if (!asked.success || (asked.data.key !== undefined && origin === undefined))
    return { status: 400, body: { error: 'Send a code, and the key of your page if you are a browser.' } };
  const { code, key } = asked.data;
  const name = deviceName(message.headers['user-agent']);
  if (key === undefined || origin === undefined) return redeemed('token', devices.redeem(code, name));
  const page = { key, origin: origin.toLowerCase(), port: portOf(message) };
  return redeemed('device', devices.redeemForPage(code, name, page));
}

/** The port on which we received a request; the `Host` header can name another one. */
export function portOf({ socket }: IncomingMessage): number {
  return socket.localPort ?? 0;
}

/** A database that is away is no reason to refuse the code: it can be used later. */
async function redeemed(name: 'device' | 'token', value: Promise<string | undefined>): Promise<SignInAnswer> {
  try {
    return answerOf(name, await value);
  } catch {
    return { status: 503, body: { error: 'The host cannot store this sign-in now. Try again.' } };
  }
}

function answerOf(name: 'device' | 'token', value: string | undefined): SignInAnswer {
  if (value === undefined)
    return {
      status: 403,
      body: { error: 'This link was already used or has expired. Run parley again for a new one.' },
    };
  return { status: 200, body: name === 'device' ? { device: value } : { token: value } };
}

/** Undefined if it is too long or was cut off. */
function readBody(message: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= longestBody) chunks.push(chunk);
      else resolve(undefined);
    });
    message.once('end', () => resolve(Buffer.concat(chunks).toString()));
    message.once('close', () => resolve(undefined));
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
