// What the pipe of a client keeps for the next host, and the names that it gives to prompts.
import { requestKey } from '../../../host/door.ts';
import type { ChatId } from '../../../model/event.ts';
import type { McpServer, PromptParams } from '../../../protocols/acp/v1/agentSchema.ts';
import type { AcpConnection } from '../connection.ts';

/** What the client has seen of a chat. */
export function keepSeen(connection: AcpConnection, chat: ChatId, seq: number): void {
  connection.keep(`seen:${chat}`, seq);
}

/** Servers may contain secrets, so they are in no log; the pipe had them from its client. */
export function keepServers(connection: AcpConnection, chat: ChatId, servers: readonly McpServer[]): void {
  connection.keep(`servers:${chat}`, servers);
}

export function forgetChat(connection: AcpConnection, chat: ChatId): void {
  connection.keep(`seen:${chat}`, null);
  connection.keep(`servers:${chat}`, null);
}

/** The name that a pipe gave to a prompt; it is the id of its message. The params are without it. */
export function takeKey({ _meta, ...params }: PromptParams): {
  readonly key: string | undefined;
  readonly params: PromptParams;
} {
  const { [requestKey]: key, ...meta } = _meta ?? {};
  const rest = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  return { key: typeof key === 'string' ? key : undefined, params: rest };
}
