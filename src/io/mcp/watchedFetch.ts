// The network as the protocol's library gets it: answers are not longer than anybody could read, and what they say about us is kept.
import { longestMessage } from './program.ts';

export interface WatchedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** The newest answer says that we are not known, or that our session is not. */
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
      return status === 404;
    },
    get foreign() {
      return status === 404 || status === 405 || status === 400;
    },
    async fetch(url, init) {
      const response = await ask(url, init);
      status = response.status;
      return limited(response);
    },
  };
}

/** A stream of events may go on for days; a single answer may not. */
function limited(response: Response): Response {
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.body || streams) return response;
  let seen = 0;
  const counted = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > longestMessage) controller.error(new Error('The server sent more than anybody could read.'));
      else controller.enqueue(chunk);
    },
  }));
  return new Response(counted, { status: response.status, statusText: response.statusText, headers: response.headers });
}
