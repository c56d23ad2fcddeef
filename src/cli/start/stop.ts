// `parley stop`: asks the running host to store everything and end, and waits until it has.
import { hostControl } from '../client/controlClient.ts';
import { print } from '../output.ts';
import { noMore, readArgs } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  noMore(readArgs(args, {}).positionals);
  const peer = await hostControl('leave');
  await peer?.request('stop').catch(() => {});
  peer?.close();
  await peer?.closed;
  print(peer ? 'The host has stopped.\n' : 'No host is running.\n');
  return 0;
}
