// The network as the protocol's library gets it: answers are not longer than anybody could read, and what they say about us is kept.
import { longestMessage } from './program.ts';

export interface WatchedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** The newest answer says that we are not known, or that our session is not, or nobody was there to answer. */
  readonly unauthorized: boolean;
  readonly lost: boolean;
  /** It answered in a way that only a server of the older kind does. */
  readonly foreign: boolean;
}

export function watchedFetch(ask: typeof fetch): WatchedFetch {
  let status = 0;
  return {
    get unauthorized() {
      return status === 401;
    },
    get lost() {
      return status === 404 || status === nobody;
    },
    get foreign() {
      return status === 404 || status === 405 || status === 400;
    },
    async fetch(url, init) {
      const response = await ask(url, init).catch((error: unknown) => {
        if (isRefused(error)) status = nobody;
        throw error;
      });
      // What stands before a server that is being started anew has passed nothing on.
      status = response.status === 502 || response.status === 503 ? nobody : response.status;
      return limited(response);
    },
  };
}

/** Nobody took the request, so nothing was done about it. */
const nobody = -1;

function isRefused(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** A stream of events may go on for days; a single answer may not. */
function limited(response: Response): Response {
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.body || streams) return response;
  let seen = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen > longestMessage)
          controller.error(new Error('The server sent more than anybody could read.'));
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
