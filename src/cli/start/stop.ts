// `parley stop`: asks the running host to store everything and end, and waits until it has.
import { runningHost } from '../client/controlClient.ts';
import { noMore, readArgs } from '../say.ts';
import { print } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  noMore(readArgs(args, {}).positionals);
  const peer = await runningHost();
  await peer?.request('stop').catch(() => {});
  peer?.close();
  await peer?.closed;
  print(peer ? 'The host has stopped.\n' : 'No host is running.\n');
  return 0;
}
