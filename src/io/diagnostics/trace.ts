// Wire traces: one file per connection in the traces folder, one JSON line per message, secrets hidden,
// readable by the owner only.
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTap } from '../../rpc/transports/traceTap.ts';
import type { Transport } from '../../rpc/transports/transport.ts';

/** The name must be another one for every connection. */
export function traceTo(folder: string, transport: Transport, name: string): Transport {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const sink = createWriteStream(join(folder, `${Date.now()}-${name}.jsonl`), {
    flags: 'a',
    mode: 0o600,
  });
  sink.on('error', () => {});
  return createTap(transport, { sink, now: Date.now, redact: hideSecrets });
}

/** Works on the text, so that the trace shows exactly what was sent, even if it is not JSON. */
export function hideSecrets(text: string): string {
  return text.replaceAll(secretMember, '$1"[hidden]"');
}

const secretMember =
  /("[\w.-]*(?:token|password|secret|authorization|api[-_]?key)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
