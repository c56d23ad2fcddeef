// Sets one option of a session. The values that it may have are those that the client was told.
import type { AcpConnection } from '../connection.ts';
import { invalidParams } from '../errors.ts';
import { changeSession } from './sessions.ts';
import { changesFor, choicesOf, configOptionsOf } from './sessionSettings.ts';

export async function setOption(
  connection: AcpConnection,
  sessionId: string,
  { configId, value }: { readonly configId: string; readonly value: string | boolean },
): Promise<void> {
  const chat = connection.chat(sessionId);
  const { head } = chat.session;
  const option = configOptionsOf(connection.host.agents(head.roots), head, connection.switches).find(
    ({ id }) => id === configId,
  );
  if (!option) throw invalidParams(`This session has no option ${configId}.`);
  const changes = changesFor(option, value, head);
  if (!changes)
    throw invalidParams(`${String(value)} is not a value of the option ${configId}.`, {
      values: option.type === 'boolean' ? [true, false] : choicesOf(option).map((choice) => choice.value),
    });
  await changeSession(connection, chat, changes);
}
