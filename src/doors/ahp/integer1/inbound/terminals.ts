// Terminal requests of version 1. A session in version 1 is one chat of this host.
import type { Owner } from '../../../../host/terminals/terminal.ts';
import { present } from '../../../../base/present.ts';
import type { Requests } from '../../../../protocols/ahp/integer1/commands.ts';
import type { TerminalClaim } from '../../../../protocols/ahp/integer1/state.ts';
import { readChannel } from '../../channels/channels.ts';
import { ahpError } from '../../errors.ts';
import type { Integer1Connection } from '../connection.ts';
import { locate } from './locate.ts';

export function createTerminal(
  client: Integer1Connection,
  { terminal, claim, name, cwd, cols, rows }: Requests['createTerminal']['params'],
): Promise<null> {
  const owner = ownerOf(client, claim);
  if (!owner) throw ahpError('sessionNotFound', 'There is no such session to claim a terminal for.');
  return client.liveResources.createTerminal({ uri: terminal, owner, name, cwd, cols, rows });
}

export function ownerOf({ host }: Integer1Connection, claim: TerminalClaim): Owner | undefined {
  if (claim.kind === 'client') return { kind: 'client', client: claim.clientId };
  const located = locate(host, claim.session);
  const named = readChannel(claim.session);
  if (located === undefined || located === 'root') return undefined;
  return present({
    kind: 'session' as const,
    session: located.id,
    chat: named?.kind === 'session' ? named.session : located.id,
    turn: claim.turnId,
    tool: claim.toolCallId,
  });
}
