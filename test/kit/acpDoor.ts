// A host with ACP clients for one test file; everything is closed, and everything that was sent
// checked, after each test.
import { afterEach, expect } from 'vitest';
import type { Host } from '../../src/host/host.ts';
import type { Session } from '../../src/host/session/session.ts';
import { acpClient } from './acpClient.ts';
import type { AcpClient } from './acpClient.ts';
import { rig } from './host.ts';
import type { Rig } from './host.ts';
import type { MemoryStore } from './memoryStore.ts';

export type MemoryClient = ReturnType<typeof acpClient>;

const open: { close(): Promise<void> }[] = [];
const clients: AcpClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.close();
    if (client.problems.length > 0) throw new Error(client.problems.join('\n'));
  }
  for (const each of open.splice(0)) await each.close();
});

export async function start(store?: MemoryStore): Promise<Rig> {
  return closing(await rig(store));
}

export function closing<T extends { close(): Promise<void> }>(each: T): T {
  open.push(each);
  return each;
}

/** A client that has not said a word yet. */
export function unknownClient(
  { host }: { readonly host: Host },
  options: Parameters<typeof acpClient>[1] = {},
): MemoryClient {
  const client = acpClient(host, options);
  clients.push(client);
  return client;
}

export async function connect(
  to: { readonly host: Host },
  options: Parameters<typeof acpClient>[1] = {},
  hello?: object,
): Promise<MemoryClient> {
  const client = unknownClient(to, options);
  await client.initialize(hello);
  return client;
}

export function sessionOf({ host }: { readonly host: Host }, id: string): Session {
  const session = host.opened(id);
  if (!session) throw new Error(`${id} is not open`);
  return session;
}

/** An agent's message in one piece. */
export function chunk(text: string, messageId: unknown = expect.any(String)): object {
  return { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } };
}
