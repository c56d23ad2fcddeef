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

export function watchedFetch(ask: typeof fetch): WatchedFetch {
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

/** The request did not reach the server, so it had no effect. */
const unreachable = -1;

function isRefused(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** Event streams are not limited: they may stay open for days. */
function limited(response: Response): Response {
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.body || streams) return response;
  let seen = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen > longestMessage)
          controller.error(new Error(`The server sent a response of more than ${longestMessage} bytes.`));
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
