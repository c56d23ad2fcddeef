// Which language models there are: those of providers with a key, those of servers on this machine, the built-in demo, and a scripted one where tests ask for it.
import { readFileSync } from 'node:fs';
import { openCatalogue } from '../agents/native/models/catalogue.ts';
import type { Catalogue } from '../agents/native/models/catalogue.ts';
import { demoModel } from '../agents/native/models/demo.ts';
import { scriptedModel } from '../agents/native/models/scripted.ts';
import { parseScript } from '../agents/native/models/script.ts';
import { sleepOn } from '../agents/native/sleep.ts';
import type { LanguageModel } from '../agents/native/model.ts';
import type { Clock } from '../host/ports.ts';
import { openSecrets } from '../io/secrets.ts';
import { discover } from './discover.ts';

export interface Models {
  readonly source: Catalogue | readonly LanguageModel[];
  /** Looks again for keys. */
  refresh(): void;
  close(): void;
}

export interface ModelsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** The file with the keys. */
  readonly secrets: string;
}

export function openModels({ env, clock, secrets }: ModelsOptions): Models {
  const sleep = sleepOn(clock);
  const scripted = scriptedModels(env, clock);
  const demo = demoModel({ sleep });
  // A script stands for every model there is: a test must not depend on the keys of whoever runs it.
  if (scripted.length > 0) return { source: [...scripted, demo], refresh: () => {}, close: () => {} };
  const catalogue = catalogueOf({ env, clock, secrets }, [demo]);
  return { source: catalogue, refresh: () => catalogue.refresh(), close: discover(catalogue, clock) };
}

export function catalogueOf({ env, clock, secrets }: ModelsOptions, builtIn: readonly LanguageModel[]): Catalogue {
  const store = openSecrets(secrets);
  // The global is only touched when somebody asks, since it loads a whole HTTP client.
  return openCatalogue({ env, clock, builtIn, stored: (provider) => store.get(provider), fetch: (input, init) => fetch(input, init) });
}

function scriptedModels(env: NodeJS.ProcessEnv, clock: Clock): readonly LanguageModel[] {
  const script = env['PARLEY_SCRIPT'];
  const parsed = script === undefined ? { rules: [] } : parseScript(readFileSync(script, 'utf8'));
  if ('problem' in parsed) throw new Error(`the script ${script} cannot be used: ${parsed.problem}`);
  return script !== undefined || env['PARLEY_SCRIPTED'] === '1' ? [scriptedModel({ ...parsed, sleep: sleepOn(clock) })] : [];
}
