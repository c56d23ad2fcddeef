// Wire traces: one file per connection in the traces folder, one JSON line per message, secrets hidden,
// readable by the owner only.
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../base/isRecord.ts';
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

/** Works on the text where it can, so that the trace shows exactly what was sent, even if it is not JSON. */
export function hideSecrets(text: string): string {
  const shown = text.replaceAll(secretMember, '$1"[hidden]"');
  if (!mayHideMore.test(shown)) return shown;
  try {
    const value: unknown = JSON.parse(shown);
    const safe = JSON.stringify(withoutSecrets(value));
    return safe === JSON.stringify(value) ? shown : safe;
  } catch {
    return shown;
  }
}

/** Secrets that their member's name does not tell: pairs of name and value, and settings files as texts. */
const mayHideMore = /"(?:value|env|headers)"|\\"/;

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(secretMember, '$1"[hidden]"');
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value;
  const isSecretPair = typeof value['name'] === 'string' && secretName.test(value['name']);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (isSecretPair && name === 'value') return [name, hidden];
      return [name, name === 'env' || name === 'headers' ? withoutValues(inner) : withoutSecrets(inner)];
    }),
  );
}

/** Variables and headers of programs and servers are there for secrets, whatever their names. */
function withoutValues(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((pair: unknown) =>
      isRecord(pair) && 'value' in pair ? { ...pair, value: hidden } : pair,
    );
  return isRecord(value) ? Object.fromEntries(Object.keys(value).map((name) => [name, hidden])) : value;
}

const hidden = '[hidden]';

const secretName = /token|passw|secret|authorization|cookie|credential|key$/i;

const secretMember =
  /("[\w.-]*(?:token|password|secret|authorization|api[-_]?key)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
