// `parley untrust`: a folder's settings can only forbid from now on, and its texts are marked as untrusted.
// The user is not asked again.
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore } from '../../io/settings/trust.ts';
import { refreshHost } from '../client/controlClient.ts';
import { readArgs } from '../say.ts';
import { folderArgument } from './trust.ts';
import { print } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  const folder = folderArgument(readArgs(args, {}).positionals);
  const wasTrusted = trustStore(settingsFiles(process.env).trust).untrust(folder);
  await refreshHost();
  print(
    wasTrusted
      ? `${folder} is no longer trusted.\n`
      : `${folder} is not trusted. You will not be asked about it again.\n`,
  );
  return 0;
}
