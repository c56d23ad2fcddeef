// `parley`: finds or starts the host and says where it is.
import { readFileSync } from 'node:fs';
import { dataPaths, socketPath } from '../io/paths.ts';
import { reach } from './pipe.ts';

export async function run(args: readonly string[]): Promise<number> {
  if (args.length > 0) throw new Error(`"${args[0]}" is not understood here. Try parley --help.`);
  const socket = await reach(socketPath(process.env));
  socket.destroy();
  const paths = dataPaths(process.env);
  const info: unknown = JSON.parse(readFileSync(paths.info, 'utf8'));
  const { host, port } = isInfo(info) ? info : { host: '127.0.0.1', port: 0 };
  process.stdout.write(`The Parley host runs at http://${host}:${port}/ (AHP at ws://${host}:${port}/ahp, token in ${paths.token}).\nStop it with parley stop.\n`);
  return 0;
}

function isInfo(value: unknown): value is { host: string; port: number } {
  return typeof value === 'object' && value !== null && 'host' in value && 'port' in value && typeof value.host === 'string' && typeof value.port === 'number';
}
