// `parley serve`: reads the options and takes the locks. The host itself is loaded after that, so that a
// start that is refused ends at once.
import { lockHost } from '../../app/lockHost.ts';
import { errorText } from '../../base/errorText.ts';
import { present } from '../../base/present.ts';
import { isAway } from '../../host/session/logStore.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { storePlace } from '../../io/store/storeUrl.ts';
import type { StorePlace } from '../../io/store/storeUrl.ts';
import { noMore, readArgs, UsageError } from '../say.ts';
import { printError } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  const flags = readFlags(args);
  if (flags.data !== undefined) process.env['PARLEY_HOME'] = flags.data;
  const store = storeOf(flags.store ?? process.env['PARLEY_STORE']);
  const lock = await lockHost(process.env, { store, alone: false });
  if ('heldBy' in lock) return alreadyRunning(lock.heldBy, flags.background);
  const { serveLocked } = await import('./serveLocked.ts');
  return serveLocked(flags, { store, lock }).catch((error: unknown) => {
    throw flags.background && isAway(error) ? new AwayStoreError(errorText(error), { cause: error }) : error;
  });
}

/** Its exit code tells the process that started the host that a later start may succeed. */
class AwayStoreError extends Error {
  override readonly name = 'AwayStoreError';
}

export type ServeFlags = ReturnType<typeof readFlags>;

function readFlags(args: readonly string[]) {
  const { values, positionals } = readArgs(args, {
    host: { type: 'string' },
    port: { type: 'string' },
    data: { type: 'string' },
    store: { type: 'string' },
    tls: { type: 'boolean' },
    cert: { type: 'string' },
    key: { type: 'string' },
    insecure: { type: 'boolean' },
    trace: { type: 'boolean', default: false },
    background: { type: 'boolean', default: false },
    'no-open': { type: 'boolean', default: false },
  });
  noMore(positionals);
  const { host, tls, cert, key, insecure, data, store, trace, background } = values;
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--cert and --key must be used together.');
  return {
    port: readPort(values.port),
    data,
    store,
    trace,
    background,
    open: !values['no-open'],
    server: present({ host, tls, insecure, cert, key }),
  };
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port >= 65_536)
    throw new UsageError(`Invalid port "${text}". Use a number from 0 to 65535.`);
  return port;
}

function storeOf(url: string | undefined): StorePlace {
  const store = storePlace(dataPaths(process.env).directory, url);
  if ('refused' in store) throw new UsageError(store.refused);
  return store;
}

function alreadyRunning({ pid }: { readonly pid?: number }, background: boolean): number {
  if (background) return 0;
  printError(
    'parley: A host is already running on this data ' +
      `directory${pid === undefined ? '' : ` (pid ${pid})`}. Use it, or set PARLEY_HOME ` +
      'to start another.\n',
  );
  return 3;
}
