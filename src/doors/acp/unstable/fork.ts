// session/fork: copies a session. The copy is not replayed; a client that wants its history loads it.
import { copyPast } from '../../../host/session/importedPast.ts';
import { isRejection } from '../../../model/command.ts';
import type { Entry } from '../../../model/event.ts';
import { openSessionParams } from '../../../protocols/acp/v1/agentSchema.ts';
import type { OpenSessionParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { call } from '../inbound/readParams.ts';
import type { Feature } from '../inbound/readParams.ts';
import type { AcpConnection } from '../connection.ts';
import { rejectionError } from '../errors.ts';
import { findSessionIn, openNew } from '../inbound/sessions.ts';
import { selectedAgent } from '../inbound/sessionSettings.ts';
import { giveSystemPrompt, readSystemPrompt } from './systemPrompt.ts';

export const forkMethods: Feature = [
  ['session/fork', call(openSessionParams, ({ connection }, params) => forkSession(connection, params))],
];

async function forkSession(connection: AcpConnection, params: OpenSessionParams): Promise<object> {
  const { host } = connection;
  const id = params.sessionId;
  const session = await findSessionIn(connection, params);
  const { state } = session;
  const prompt = readSystemPrompt(params.systemPrompt, selectedAgent(host.agents(), state));
  const entries: Entry[] = [];
  for await (const entry of session.entries()) entries.push(entry);
  const title = (id === state.order[0] ? state.title : state.chats[id]?.title) ?? '';
  const copy = await host.restore(copyPast(entries, { state, chat: id, as: host.ids.next(), title }));
  if (isRejection(copy)) throw rejectionError(copy, id);
  giveSystemPrompt(copy, prompt, connection.origin);
  await copy.settled();
  return openNew(connection, copy, params.mcpServers);
}
