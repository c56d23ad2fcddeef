// Makes a wire of a provider library, which writes the request; we send it and read the answer ourselves, at a fraction of the cost.
import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ModelRequest } from '../model.ts';
import { readStream } from './events.ts';
import type { Reader } from './events.ts';
import { fields } from './loose.ts';
import type { Fields } from './loose.ts';
import { Parts } from './parts.ts';
import { Misplaced, Refusal } from './problem.ts';
import { promptOf, toolsOf } from './sdkPrompt.ts';
import type { PromptOptions } from './sdkPrompt.ts';
import { Verbatim } from './verbatim.ts';
import type { Connection, Fetch, Wire } from './wire.ts';

export interface Library extends Omit<PromptOptions, 'connection' | 'verbatim'> {
  readonly open: (connection: Connection) => LanguageModelV3;
  /** What the library is told besides the prompt. */
  readonly options: (request: ModelRequest, connection: Connection) => SharedV3ProviderOptions;
  readonly reader: (connection: Connection) => Reader;
  readonly sendsOutput?: true;
  /** Whether what goes back in the wire's own words is a block of a message or a message of its own. */
  readonly rawWithin?: 'message' | 'list';
  /** What the library cannot write, such as what the provider may run itself. */
  readonly besides?: (body: Fields, request: ModelRequest, connection: Connection) => Fields;
}

export function sdkWire({ reader, ...library }: Library): Wire {
  return async (request, connection) => {
    const verbatim = new Verbatim();
    const { url, init } = await writtenBy({ ...library, verbatim }, request, connection);
    const body = changed(init.body, [
      verbatim.isEmpty ? undefined : (written) => verbatim.into(written, library.rawWithin ?? 'message'),
      besidesOf(library, request, connection),
      withExtra(connection),
    ]);
    const response = await connection.fetch(addressOf(url, connection), {
      ...init,
      headers: withKey(init.headers, connection),
      body,
    });
    return answerOf(response, { framing: 'events', reader: reader(connection) }, connection);
  };
}

/** The parts of an answer, as they come. A provider that refuses is thrown. */
export async function answerOf(
  response: Response,
  { framing, reader }: { readonly framing: 'events' | 'lines' | 'frames'; readonly reader: Reader },
  { provider, hear, apart }: Connection,
): ReturnType<Wire> {
  const { body } = response;
  if (!response.ok || !body)
    throw new Refusal(response.status, Object.fromEntries(response.headers), await response.text());
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/html|^application\/xhtml/i.test(type)) throw new Misplaced('a web page');
  if (framing !== 'lines' && /^application\/(?:problem\+)?json/i.test(type))
    return whole(await response.text(), { framing, reader }, { provider, hear, apart });
  return readStream({ body, framing, reader, parts: new Parts(provider, { apart }), hear });
}

/** Some servers call their events JSON; others tell what went wrong as if all were well. */
async function whole(
  text: string,
  { framing, reader }: { readonly framing: 'events' | 'frames'; readonly reader: Reader },
  { provider, hear, apart }: Pick<Connection, 'provider' | 'hear' | 'apart'>,
): ReturnType<Wire> {
  const { body } = new Response(text);
  if (
    framing === 'events' &&
    body &&
    /^\s*(?:data|event|id|retry)?:|"(?:choices|content)"\s*:\s*\[/.test(text)
  )
    return readStream({ body, framing, reader, parts: new Parts(provider, { apart }), hear });
  if (/"(?:error|message|detail)"\s*:/.test(text)) throw new Refusal(400, {}, text);
  throw new Misplaced('something else');
}

/** Where a request goes: the library's own idea of it, unless the user has another one. */
function addressOf(usual: string, { url, path, query }: Connection): string {
  const address = new URL(path === undefined ? usual : `${url}/${path.replace(/^\/+/, '')}`);
  for (const [name, value] of new URLSearchParams(query)) address.searchParams.set(name, value);
  return address.href;
}

/** Headers of every request; libraries want an object they may change. */
export function headersOf({ headers }: Connection): Record<string, string> {
  return { ...headers };
}

interface Written {
  readonly url: string;
  readonly init: RequestInit;
}

/** The request as the library would have sent it. */
async function writtenBy(
  { open, options, sendsOutput, ...prompt }: Omit<Library, 'reader'> & Pick<PromptOptions, 'verbatim'>,
  request: ModelRequest,
  connection: Connection,
): Promise<Written> {
  let caught: Written | undefined;
  const catching: Fetch = (input, init = {}) => {
    caught = { url: input instanceof Request ? input.url : String(input), init };
    throw new Caught();
  };
  try {
    await open({ ...connection, fetch: catching }).doStream({
      prompt: promptOf(request, { ...prompt, connection }),
      tools: toolsOf(request.tools),
      providerOptions: options(request, connection),
      abortSignal: connection.signal,
      ...(sendsOutput && connection.output !== undefined ? { maxOutputTokens: connection.output } : {}),
    });
  } catch (error) {
    if (!caught) throw error;
  }
  if (!caught) throw new Error('The library has sent nothing.');
  return caught;
}

/** Ends the library's part of the work. */
class Caught extends Error {
  constructor() {
    super('The request is written.');
    this.name = 'Caught';
  }
}

function withKey(given: RequestInit['headers'], { key, keyHeader }: Connection): Headers {
  const headers = new Headers(given);
  if (keyHeader === undefined || key === undefined) return headers;
  for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) headers.delete(name);
  headers.set(keyHeader, keyHeader === 'authorization' ? `Bearer ${key}` : key);
  return headers;
}

type Change = ((body: Fields) => Fields) | undefined;

/** The written request with what is to be different in it. */
function changed(body: RequestInit['body'], changes: readonly Change[]): string {
  const text = typeof body === 'string' ? body : '';
  const wanted = changes.filter((change) => change !== undefined);
  return wanted.length === 0
    ? text
    : JSON.stringify(wanted.reduce((now, change) => change(now), fields(JSON.parse(text))));
}

function besidesOf(
  { besides }: Pick<Library, 'besides'>,
  request: ModelRequest,
  connection: Connection,
): Change {
  return besides && (request.serves ?? []).length > 0
    ? (body) => besides(body, request, connection)
    : undefined;
}

function withExtra({ extra }: Connection): Change {
  return Object.keys(extra).length === 0 ? undefined : (body) => ({ ...body, ...extra });
}
