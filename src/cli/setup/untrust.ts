// `parley untrust`: the settings of a folder have no effect any more but to forbid, its texts are marked, and nobody asks to trust it.
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore } from '../../io/settings/trust.ts';
import { print } from '../output.ts';
import { readArgs } from '../say.ts';
import { folderOf } from './trust.ts';

export async function run(args: readonly string[]): Promise<number> {
  const folder = folderOf(readArgs(args, {}).positionals);
  const was = trustStore(settingsFiles(process.env).trust).untrust(folder);
  print(
    was
      ? `${folder} is not trusted any more.\n`
      : `${folder} was not trusted, and you are not asked about it any more.\n`,
  );
  return 0;
}
