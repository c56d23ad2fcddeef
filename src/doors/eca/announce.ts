// Tells a client what it may choose from and which tools there are, as far as it does not know yet.
import type { ChatConfig } from '../../protocols/eca/messages.ts';
import { wholeConfig } from './catalogue.ts';
import type { Connection } from './connection.ts';

/** Sends what has changed since the client was last told; what is as it was is left out. */
export function announce(connection: Connection, more: ChatConfig = {}): void {
  const now: ChatConfig = { ...wholeConfig(connection.host.agents(connection.roots), connection.defaults), ...more };
  const before: { readonly [key: string]: unknown } = { ...connection.announced };
  const changed = Object.fromEntries(Object.entries(now).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)));
  connection.announced = { ...connection.announced, ...now };
  if (Object.keys(changed).length > 0) connection.tell('config/updated', { chat: changed });
}

export function announceTools(connection: Connection): void {
  const tools = connection.options.tools?.() ?? [];
  connection.tell('tool/serverUpdated', { type: 'native', name: 'ECA', status: 'running', tools: tools.map((tool) => ({ ...tool, disabled: tool.disabled ?? false })) });
  for (const server of connection.options.mcp?.list(connection.roots) ?? []) connection.tell('tool/serverUpdated', { type: 'mcp', ...server });
}
