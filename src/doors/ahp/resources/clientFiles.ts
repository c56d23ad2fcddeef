// What is attached to a message and only its client has: the host reads it back from the client,
// and nothing else of it.
import * as z from 'zod';
import type { Host } from '../../../host/host.ts';
import type { UserMessage } from '../../../model/event.ts';
import type { ClientResources } from './clientResources.ts';

/** Messages whose attachments can still be read; older ones have been worked on long ago. */
const most = 256;

/** Longer texts are no attachment. */
const longest = 1_048_576;

const answer = z.object({ data: z.string(), encoding: z.enum(['utf-8', 'base64']) });

export class ClientFiles {
  readonly #host: Host;
  readonly #lent = new Map<string, () => void>();

  constructor(host: Host) {
    this.#host = host;
  }

  /**
   * Lets agents that work on a message read what is attached to it. `resources` is the client for
   * as long as it is here.
   */
  lend({ id, attachments = [] }: UserMessage, resources: () => ClientResources | undefined): void {
    const uris = new Set(
      attachments.flatMap((attachment) =>
        attachment.type === 'link' && isClients(attachment.uri) ? [attachment.uri] : [],
      ),
    );
    if (uris.size === 0) return;
    this.#lent.set(
      id,
      this.#host.workbenches.lend(id, {
        readLink: async (uri) => (uris.has(uri) ? read(resources(), uri) : undefined),
      }),
    );
    for (const [old, release] of this.#lent) {
      if (this.#lent.size <= most) break;
      release();
      this.#lent.delete(old);
    }
  }
}

/** Whether only the client can read the URI: not web pages, files, data, or the host's own schemes. */
function isClients(uri: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(uri) && !/^(https?|file|data|ahp[a-z-]*|parley[a-z-]*):/i.test(uri);
}

/** The text of a resource; undefined if it is not text. */
async function read(resources: ClientResources | undefined, uri: string): Promise<string | undefined> {
  try {
    const { data, encoding } = answer.parse(await resources?.ask('resourceRead', { uri, encoding: 'utf-8' }));
    const text =
      encoding === 'utf-8'
        ? data
        : new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64'));
    return text.length > longest ? undefined : text;
  } catch {
    return undefined;
  }
}
