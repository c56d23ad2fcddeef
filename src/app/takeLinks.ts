// Takes links of other hosts that share the store, where nobody else can read the traffic.
import { X509Certificate } from 'node:crypto';
import { present } from '../base/present.ts';
import { ProofCheck } from '../io/links/linkProof.ts';
import { serveLink } from '../io/links/serveLink.ts';
import type { LinkDoor } from '../io/http/server.ts';
import type { App } from './app.ts';
import type { Listening } from './listening.ts';

/** Undefined if the store belongs to one host, or if the traffic would not be private. */
export function takeLinks({ store, host }: App, { privacy }: Listening): LinkDoor | undefined {
  const own = store.shared?.own;
  if (!own || privacy === 'open') return undefined;
  const check = new ProofCheck({
    key: own.key,
    me: own.me,
    publicKeyOf: (lease) => own.publicKeyOf(lease).catch(() => undefined),
  });
  const report = (problem: unknown, about: string) => host.report(problem, about);
  return {
    answerTo: (authorization) => check.answerTo(authorization),
    serve: (transport) => void serveLink(transport, { service: host.forOthers, report }),
  };
}

/** Tells the other hosts where this one takes links. */
export async function publishLinks({ store }: App, { tls }: Listening, url: string): Promise<void> {
  const fingerprint = tls && new X509Certificate(tls.cert).fingerprint256;
  await store.shared?.own.publish({ url, ...present({ fingerprint }) });
}
