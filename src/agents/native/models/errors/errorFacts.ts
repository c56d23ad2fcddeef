// Reads status, codes, message and headers out of whatever was thrown or sent as an error. Knows no
// vendor and no wire format.
import { isNetworkCode } from './connectionError.ts';
import { InvalidJson } from './failures.ts';

export interface ErrorFacts {
  readonly status: number | undefined;
  /** The provider's names for the kind of error, joined by spaces. */
  readonly codes: string;
  /** The field of the request that the provider complains about. */
  readonly param: string;
  readonly message: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** The code of a network error, if the provider was not reached. */
  readonly networkCode: string | undefined;
  readonly isInvalidJson: boolean;
}

export function errorFacts(error: unknown): ErrorFacts {
  const thrown = nestedObjects(error);
  const body = texts(thrown, 'responseBody')[0] ?? '';
  const answered = nestedObjects(parseBody(body));
  const all = [...answered, ...thrown];
  const status = statusIn(thrown);
  return {
    status,
    body,
    codes: ['type', 'code', 'status', 'reason'].flatMap((name) => texts(all, name)).join(' '),
    param: texts(all, 'param').join(' '),
    message:
      texts(answered, 'message')[0] ?? texts(answered, 'error')[0] ?? texts(thrown, 'message')[0] ?? '',
    headers: headersIn(thrown),
    networkCode: status === undefined || status < 400 ? networkCodeIn(thrown) : undefined,
    isInvalidJson: thrown.some((each) => each instanceof InvalidJson),
  };
}

/** Inside a stream some providers send the status in `code` or `status`. */
function statusIn(thrown: readonly object[]): number | undefined {
  return thrown
    .flatMap((each) => [read(each, 'statusCode'), read(each, 'code'), read(each, 'status')])
    .filter((value) => typeof value === 'number')
    .find((value) => value >= 300 && value < 600);
}

/** Node's fetch reports a broken connection by these messages alone. */
function networkCodeIn(thrown: readonly object[]): string | undefined {
  const code = texts(thrown, 'code').find(isNetworkCode);
  if (code !== undefined) return code;
  const isBroken = texts(thrown, 'message').some(
    (message) => message === 'terminated' || message === 'fetch failed',
  );
  return isBroken ? 'UND_ERR_SOCKET' : undefined;
}

const mostObjects = 12;

/** The error, its causes and the error objects inside it, outermost first. */
function nestedObjects(error: unknown): readonly object[] {
  const objects: object[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && objects.length < mostObjects) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null || objects.includes(next)) continue;
    objects.push(next);
    if (Array.isArray(next)) queue.push(...(next.slice(0, 3) as unknown[]));
    else queue.push(...['cause', 'error', 'data', 'errors', 'details'].map((name) => read(next, name)));
  }
  return objects;
}

function read(from: object, name: string): unknown {
  return Reflect.get(from, name);
}

function texts(objects: readonly object[], name: string): readonly string[] {
  return objects.map((each) => read(each, name)).filter((value) => typeof value === 'string');
}

function headersIn(objects: readonly object[]): ErrorFacts['headers'] {
  const headers = objects
    .map((each) => read(each, 'responseHeaders'))
    .find((value) => typeof value === 'object' && value !== null);
  return Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
