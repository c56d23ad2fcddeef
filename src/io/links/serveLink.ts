// Serves another host that has proved itself: the methods of a link.
import { isRecord } from '../../base/isRecord.ts';
import type { LinkCommand, LinkService } from '../../host/ownership/hostLinks.ts';
import { createPeer } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { Transport } from '../../rpc/transports/transport.ts';

export interface ServeLinkOptions {
  readonly service: LinkService;
  readonly report: (problem: unknown, about: string) => void;
}

/** Resolves when the link has ended. */
export async function serveLink(transport: Transport, { service, report }: ServeLinkOptions): Promise<void> {
  const followed = new Map<string, () => void>();
  const leave = (session: string) => {
    followed.get(session)?.();
    followed.delete(session);
  };
  const peer = createPeer(transport, {
    handle: {
      request(method, params) {
        if (method === 'command') return service.command(readCommand(params));
        if (method === 'letGo') return service.letGo(text(params, 'session'), text(params, 'to'));
        if (method === 'follow') return follow(text(params, 'session'));
        throw new RpcError(rpcCodes.methodNotFound, `A link has no method ${method}.`);
      },
      notification(method, params) {
        if (method === 'unfollow') leave(text(params, 'session'));
      },
    },
    problem: ({ kind, detail, error }) => kind === 'handler' && report(error, `a link: ${detail}`),
  });
  const follow = (session: string): { readonly follows: boolean } => {
    leave(session);
    const unfollow = service.follow(session, {
      stored: () => peer.notify('stored', { session }),
      gone: () => {
        followed.delete(session);
        peer.notify('gone', { session });
      },
    });
    if (unfollow) followed.set(session, unfollow);
    return { follows: unfollow !== undefined };
  };
  await peer.closed;
  for (const unfollow of followed.values()) unfollow();
}

function text(params: unknown, name: string): string {
  const value = isRecord(params) ? params[name] : undefined;
  if (typeof value !== 'string') throw new RpcError(rpcCodes.invalidParams, `${name}: must be a text`);
  return value;
}

/** The other host has checked the content; a newer one may know commands that this one refuses. */
function readCommand(params: unknown): LinkCommand {
  const { command, by } = isRecord(params) ? params : {};
  if (!isRecord(command) || typeof command['kind'] !== 'string')
    throw new RpcError(rpcCodes.invalidParams, 'command: must be a command');
  if (!isRecord(by) || typeof by['kind'] !== 'string')
    throw new RpcError(rpcCodes.invalidParams, 'by: must say who gives the command');
  return {
    id: text(params, 'id'),
    session: text(params, 'session'),
    // Both hosts are built from the same source, and the kind is checked before it is used.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    command: command as unknown as LinkCommand['command'],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    by: by as unknown as LinkCommand['by'],
    ...(isRecord(params) && params['lends'] === true ? { lends: true as const } : {}),
  };
}
