// `parley token`: prints or replaces the owner's token.
import { openOwnerToken } from '../../io/auth/ownerToken.ts';
import { privateDirectory } from '../../io/files/privateFiles.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { runningHost } from '../client/controlClient.ts';
import { noMore, readArgs } from '../say.ts';
import { unknownWord } from '../suggest.ts';
import { print } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  const [verb = 'show', ...rest] = readArgs(args, {}).positionals;
  noMore(rest);
  if (verb === 'show') print(`${ownToken().current()}\n`);
  else if (verb === 'rotate') await rotate();
  else throw unknownWord('token', verb);
  return 0;
}

/** A running host replaces it itself, so that it can end the connections of the old one. */
async function rotate(): Promise<void> {
  const peer = await runningHost();
  const token = peer ? await peer.request('token/rotate') : await ownToken().rotate();
  peer?.close();
  print(`${String(token)}\n`);
}

function ownToken() {
  const { directory, token } = dataPaths(process.env);
  privateDirectory(directory);
  return openOwnerToken(token);
}
