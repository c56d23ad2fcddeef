// `parley devices`: lists the browsers that were signed in, and signs one out.
import { hostControl } from './hostControl.ts';

export async function run(args: readonly string[]): Promise<number> {
  const [verb = 'list', id, ...more] = args;
  if (more.length > 0 || !['list', 'revoke'].includes(verb) || (verb === 'revoke') !== (id !== undefined)) {
    throw new Error('say parley devices, or parley devices revoke ID.');
  }
  const peer = await hostControl('start');
  const answer = await peer?.request(verb === 'list' ? 'devices' : 'revoke', id === undefined ? undefined : [id]);
  peer?.close();
  if (verb === 'revoke') {
    process.stdout.write(answer === true ? 'That device is signed out.\n' : 'There is no such device.\n');
    return answer === true ? 0 : 1;
  }
  const devices: readonly { id?: unknown; name?: unknown; since?: unknown }[] = Array.isArray(answer) ? answer : [];
  const lines = devices.map((device) => `${String(device.id)}  ${new Date(Number(device.since)).toISOString()}  ${String(device.name)}`);
  process.stdout.write(lines.length > 0 ? `${lines.join('\n')}\n` : 'No browser is signed in.\n');
  return 0;
}
