// The `fetch` that the MCP library uses: it limits the size of responses and remembers what the last status
// means for the connection.
import { longestMessage } from './programTransport.ts';

export interface WatchedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** The last response was 401. */
  readonly unauthorized: boolean;
  /** The server does not know our session any more, or could not be reached. */
  readonly lost: boolean;
  /** Only servers of the older HTTP+SSE transport respond like this. */
  readonly foreign: boolean;
}

/** `server` is the address of the server that the requests are about. */
export function watchedFetch(ask: typeof fetch, server?: string): WatchedFetch {
  let status = 0;
  return {
    get unauthorized() {
      return status === 401;
    },
    get lost() {
      return status === 404 || status === unreachable;
    },
    get foreign() {
      return status === 404 || status === 405 || status === 400;
    },
    async fetch(url, init) {
      if (isDowngrade(server, url))
        throw new Error(`The server names an address without encryption: ${String(url).slice(0, 200)}`);
      const response = await ask(url, init).catch((error: unknown) => {
        if (isRefused(error)) status = unreachable;
        throw error;
      });
      // A proxy in front of a restarting server has not forwarded the request.
      status = response.status === 502 || response.status === 503 ? unreachable : response.status;
      return limited(response);
    },
  };
}

/**
 * What a remote server says about sign-ins decides which addresses we ask. Services without encryption, such
 * as those of this machine and the metadata of clouds, are not for it to choose.
 */
function isDowngrade(server: string | undefined, url: string | URL): boolean {
  return server !== undefined && new URL(server).protocol === 'https:' && new URL(url).protocol !== 'https:';
}

/** The request did not reach the server, so it had no effect. */
const unreachable = -1;

function isRefused(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** Event streams may stay open for days, so each of their events is limited. */
function limited(response: Response): Response {
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.body) return response;
  const unread = streams ? eventLength() : length();
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (unread(chunk) > longestMessage)
          controller.error(new Error(`The server sent a message of more than ${longestMessage} bytes.`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

function length(): (chunk: Uint8Array) => number {
  let seen = 0;
  return (chunk) => (seen += chunk.byteLength);
}

const LF = 10;
const CR = 13;

/** The bytes since the last event, which ends with an empty line. */
function eventLength(): (chunk: Uint8Array) => number {
  let event = 0;
  let line = 0;
  let last: number | undefined;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      line += end - start;
      if (end > 0) last = chunk[end - 1];
      const isEmpty = line === 0 || (line === 1 && last === CR);
      event = isEmpty ? 0 : event + line + 1;
      line = 0;
      start = end + 1;
    }
    line += chunk.byteLength - start;
    last = chunk.at(-1);
    return event + line;
  };
}
