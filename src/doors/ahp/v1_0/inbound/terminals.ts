// Terminal requests of AHP 1.0, including who owns a new terminal.
import type { Owner } from '../../../../host/terminals/terminal.ts';
import { present } from '../../../../base/present.ts';
import type { Requests } from '../../../../protocols/ahp/v1_0/commands.ts';
import type { TerminalClaim } from '../../../../protocols/ahp/v1_0/state.ts';
import { readChannel } from '../../channels/channels.ts';
import { ahpError } from '../../errors.ts';
import type { V1_0Connection } from '../connection.ts';

export function createTerminal(
  client: V1_0Connection,
  { channel, claim, name, cwd, cols, rows }: Requests['createTerminal']['params'],
): Promise<null> {
  const owner = ownerOf(client, claim);
  if (!owner) throw ahpError('sessionNotFound', 'There is no such session to claim a terminal for.');
  return client.liveResources.createTerminal({ uri: channel, owner, name, cwd, cols, rows });
}

/** A session without a chat means its default chat. */
export function ownerOf(client: V1_0Connection, claim: TerminalClaim): Owner | undefined {
  if (claim.kind === 'client') return { kind: 'client', client: claim.clientId };
  const named = readChannel(claim.session);
  const session = named?.kind === 'session' ? client.host.summary(named.session) : undefined;
  const chat = claim.chat === undefined ? undefined : readChannel(claim.chat);
  if (!session) return undefined;
  return present({
    kind: 'session' as const,
    session: session.id,
    chat: chat?.kind === 'chat' ? chat.chat : session.id,
    turn: claim.turnId,
    tool: claim.toolCallId,
  });
}
