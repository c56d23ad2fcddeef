// Wire traces: one file per connection in the traces folder, one JSON line per message, secrets hidden,
// readable by the owner only.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../base/isRecord.ts';
import { makeFolders } from '../files/privateFiles.ts';
import { createTap } from '../../rpc/transports/traceTap.ts';
import type { Transport } from '../../rpc/transports/transport.ts';

/** The name must be another one for every connection. */
export function traceTo(folder: string, transport: Transport, name: string): Transport {
  makeFolders(folder);
  const sink = createWriteStream(join(folder, `${Date.now()}-${name}.jsonl`), {
    flags: 'a',
    mode: 0o600,
  });
  sink.on('error', () => {});
  return createTap(transport, { sink, now: Date.now, redact: hideSecrets });
}

/** Works on the text where it can, so that the trace shows exactly what was sent, even if it is not JSON. */
export function hideSecrets(text: string): string {
  const shown = withoutSecretTexts(text);
  if (!mayHideMore.test(shown)) return shown;
  try {
    const value: unknown = JSON.parse(shown);
    const safe = JSON.stringify(withoutSecrets(value));
    return safe === JSON.stringify(value) ? shown : safe;
  } catch {
    return shown;
  }
}

/** What no name of a text tells: pairs, lists, other values, and settings files as texts. */
const mayHideMore =
  /"(?:value|env|environment|[\w-]*headers|args|auth)"|\\["u]|(?:token|password|secret|credential|key|cookie)s?"\s*:\s*[[{]/i;

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string')
    return withoutSecretTexts(value).replaceAll(programBlock, (block) =>
      block.replaceAll(memberText, '$1"[hidden]"'),
    );
  if (Array.isArray(value))
    return value.map((each: unknown, at) =>
      typeof each === 'string' && isSecretOption(value[at - 1]) ? hidden : withoutSecrets(each),
    );
  if (!isRecord(value)) return value;
  const isSecretPair = [value['name'], value['id'], value['path']].some(
    (name) => typeof name === 'string' && pairName.test(name),
  );
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if ((isSecretPair && name === 'value') || secretName.test(name)) return [name, withoutTexts(inner)];
      return [name, ofProgram.test(name) ? withoutValues(inner) : withoutSecrets(inner)];
    }),
  );
}

/** Variables and headers of programs and servers are there for secrets, whatever their names. */
function withoutValues(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((pair: unknown) =>
      isRecord(pair) && 'value' in pair ? { ...pair, value: hidden } : withoutTexts(pair),
    );
  return isRecord(value) ? Object.fromEntries(Object.keys(value).map((name) => [name, hidden])) : value;
}

/** Numbers are no secrets: they count tokens. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === 'string') return hidden;
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutTexts(inner)]));
}

/** Whether the next argument of a program is a secret. */
function isSecretOption(word: unknown): boolean {
  return typeof word === 'string' && /^--?[\w-]*(?:token|password|secret|key)$/i.test(word);
}

/** In a text of any kind, also in an address, an option of a command, or a header. */
function withoutSecretTexts(text: string): string {
  return text
    .replaceAll(secretMember, '$1"[hidden]"')
    .replaceAll(/(:\/\/[^\s/"'@:]*:)[^\s/"'@]+(?=@)/gi, `$1${hidden}`)
    .replaceAll(/([?&][\w.-]*(?:token|tkn|password|secret|key)=)[^\s&"'#\\]+/gi, `$1${hidden}`)
    .replaceAll(
      /(\s--?[\w-]*(?:token|password|secret|key)=|"--?[\w-]*(?:token|password|secret|key)=)[^\s"'\\]+/gi,
      `$1${hidden}`,
    )
    .replaceAll(/(\bbearer\s+)(?=[\w~+/=.-]*[\d_.])[\w~+/=.-]{8,}/gi, `$1${hidden}`);
}

const hidden = '[hidden]';

const pairName = /token|passw|secret|authorization|cookie|credential|key$/i;
const secretName =
  /(?:token|passw(?:or)?d|passphrase|secret|authorization|cookie|credential|(?:api|access|private)[-_]?key)s?$|^auth$/i;
const ofProgram = /^(?:env|environment|[\w-]*headers)$/i;

/** The names are those of `secretName`. */
const secretMember =
  /("(?:[\w.-]*(?:token|passw(?:or)?d|passphrase|secret|authorization|cookie|credential|(?:api|access|private)[-_]?key)s?|auth)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;

/** Variables or headers in the text of a settings file. */
const programBlock = /"(?:env|environment|headers)"\s*:\s*\{[^{}]*\}/g;
const memberText = /(:\s*)"(?:[^"\\]|\\.)*"/g;
