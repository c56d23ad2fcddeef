// Continues the connection of a client whose last host is gone: its chats go on where the client left them.
import * as z from 'zod';
import { isRecord } from '../../../base/isRecord.ts';
import { awayStore, pipeMethods } from '../../../host/door.ts';
import { stateAt } from '../../../host/session/catchUp.ts';
import { mcpServerList } from '../../../protocols/acp/v1/agentSchema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import type { AcpConnection } from '../connection.ts';
import { call } from './readParams.ts';
import type { Feature } from './readParams.ts';
import { lendServers, sessionNamed } from './sessions.ts';

const resumeParams = z.object({ kept: z.record(z.string(), z.unknown()) });

export const resumption: Feature = [
  [pipeMethods.resume, call(resumeParams, ({ connection }, { kept }) => resume(connection, kept))],
  [
    pipeMethods.live,
    async ({ connection }) => {
      for (const chat of connection.chats) chat.release();
      await connection.pause();
      return {};
    },
  ],
];

/** A chat that cannot be read for now is not absent. */
function unlessAway(error: unknown): undefined {
  if (error instanceof RpcError && isRecord(error.data) && error.data['code'] === awayStore.code) throw error;
}

/** A chat that was deleted in the meantime is left out. */
async function resume(connection: AcpConnection, kept: Readonly<Record<string, unknown>>): Promise<object> {
  for (const [key, seq] of Object.entries(kept)) {
    if (!key.startsWith('seen:') || typeof seq !== 'number') continue;
    const id = key.slice('seen:'.length);
    const session = await sessionNamed(connection, id).catch(unlessAway);
    if (!session) continue;
    const servers = mcpServerList.safeParse(kept[`servers:${id}`]);
    if (servers.success) lendServers(connection, session, servers.data);
    connection.open(session, id).follow(await stateAt(session, seq));
  }
  return {};
}
