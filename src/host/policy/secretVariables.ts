// Which environment variables hold secrets, by their names.

/** Whether the name says that the value is a secret itself, not where one lies. */
export function isSecretVariable(name: string): boolean {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
  if (sessions.test(name) || words.some((word) => always.has(word))) return true;
  if (words.some((word) => harmless.has(word)) || places.has(words.at(-1) ?? '')) return false;
  return (
    words.some((word) => secret.has(word) || secretEnd.test(word)) ||
    words.join(' ').includes('connection string')
  );
}

/** What password managers call the key of an open vault. */
const sessions = /^(?:BW_SESSION|OP_SESSION(?:_.+)?)$/;

/** Addresses that are secrets as a whole, and texts that have secrets in them. */
const always: ReadonlySet<string> = new Set(['webhook', 'dsn', 'headers', 'connstr', 'cookie', 'cookies']);

/** Last words of names that say where something is. */
const places: ReadonlySet<string> = new Set([
  ...['file', 'dir', 'path', 'sock', 'socket', 'url', 'uri', 'endpoint', 'host', 'port'],
]);

/** Public keys, and limits for the tokens of a model. */
const harmless: ReadonlySet<string> = new Set(['public', 'max', 'min', 'limit', 'budget']);

const secret: ReadonlySet<string> = new Set([
  ...['key', 'keys', 'pass', 'pwd', 'pat', 'auth', 'jwt', 'bearer', 'sshpass'],
]);

const secretEnd =
  /(?:tokens?|secrets?|password|passwd|passphrase|credentials?|(?:api|access|private|secret|account)keys?|connectionstring)$/;
