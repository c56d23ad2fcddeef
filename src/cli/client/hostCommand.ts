// Commands such as `parley devices` and `parley permissions`: their first word says what to ask the host for.
import type { Peer } from '../../rpc/peer.ts';
import { unknownWord } from '../suggest.ts';
import { startedHost } from './controlClient.ts';

/** Reads its arguments first, so that wrong usage starts no host. */
export type HostCommand = (args: readonly string[]) => (peer: Peer) => Promise<number>;

/** Without a first word it lists. */
export async function runHostCommand(
  name: string,
  commands: { readonly [verb: string]: HostCommand | undefined },
  args: readonly string[],
): Promise<number> {
  const [verb = 'list', ...rest] = args[0]?.startsWith('-') ? ['list', ...args] : args;
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (!command) throw unknownWord(name, verb);
  const act = command(rest);
  const peer = await startedHost();
  try {
    return await act(peer);
  } finally {
    peer.close();
  }
}
