// `parley stop`: asks the running host to store everything and end, and waits until it has.
import { askHost } from './askHost.ts';

export async function run(): Promise<number> {
  process.stdout.write((await askHost('stop')) ? 'The host has stopped.\n' : 'No host is running.\n');
  return 0;
}
