// The server resources that were attached to a conversation. Changes in them are told with the next message.
// In memory only, like the servers' notifications.
import type { OpenServers } from '../../../host/tools/toolServers.ts';
import { cut } from './attachments.ts';

export interface SharedResources {
  /** Reads a resource and remembers its content. */
  readonly read: OpenServers['read'];
  /** The resources that changed since they were read, as text for the model. */
  changes(signal: AbortSignal): Promise<readonly string[]>;
}

interface SharedResource {
  readonly server: string;
  readonly uri: string;
  readonly revision: number;
  readonly text: string;
}

export function sharedResources(servers: Pick<OpenServers, 'read' | 'revision'>): SharedResources {
  const shared = new Map<string, SharedResource>();
  const read: OpenServers['read'] = async ({ server, uri, signal }) => {
    const revision = servers.revision({ server, uri });
    const found = await servers.read({ server, uri, signal });
    if (!('refused' in found))
      shared.set(`${server}\n${uri}`, { server, uri, revision, text: textOf(found) });
    return found;
  };
  const changesOf = async (
    { server, uri, revision, text: before }: SharedResource,
    signal: AbortSignal,
  ): Promise<readonly string[]> => {
    if (servers.revision({ server, uri }) === revision) return [];
    const found = await read({ server, uri, signal });
    const text = 'refused' in found ? before : textOf(found);
    return text === before
      ? []
      : [
          'A resource that was given earlier has changed and is this now:\n<resource ' +
            `uri=${JSON.stringify(uri)} server=${JSON.stringify(server)}>\n${text}\n</resource>`,
        ];
  };
  return {
    read,
    changes: async (signal) =>
      (await Promise.all([...shared.values()].map((each) => changesOf(each, signal)))).flat(),
  };
}

function textOf(content: Exclude<Awaited<ReturnType<OpenServers['read']>>, { refused: string }>): string {
  return cut(content.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n'));
}
