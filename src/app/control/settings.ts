// The requests about the settings file of the user: the whole text, or one value of it.
import * as z from 'zod';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

type Methods = { readonly [name: string]: ControlMethod };

const path = z.array(z.string().min(1).max(200)).min(1).max(6);

export function settingsMethods(env: NodeJS.ProcessEnv): Methods {
  return {
    'settings/read': () => readSettings(env),
    'settings/write': (params) =>
      writeText(env, readParams(z.object({ text: z.string().max(1_000_000), was: z.string() }), params)),
    'settings/set': (params) => setValue(env, readParams(z.object({ path, value: z.json() }), params)),
  };
}

async function readSettings(env: NodeJS.ProcessEnv) {
  const [{ openSettings, settingsFiles }, { readConfig }, { parseSettings }, { hideSecret }] =
    await Promise.all([
      import('../../io/settings/open.ts'),
      import('../../io/settings/editConfigFile.ts'),
      import('../../io/settings/load.ts'),
      import('./settingsView.ts'),
    ]);
  const { user } = settingsFiles(env);
  const settings = openSettings({ env });
  const text = readConfig(user);
  try {
    return {
      file: user,
      text,
      values: settings.sourced([]).map(hideSecret),
      problems: settings.problems().map(({ message }) => message),
      rules: parseSettings(text, user).values.approvals ?? {},
    };
  } finally {
    settings.close();
  }
}

/** Refuses a text that is not valid, and one that would overwrite a change made in the meantime. */
async function writeText(
  env: NodeJS.ProcessEnv,
  { text, was }: { readonly text: string; readonly was: string },
): Promise<null> {
  const [{ settingsFiles }, { readConfig, writeConfig }, { parseSettings }] = await Promise.all([
    import('../../io/settings/open.ts'),
    import('../../io/settings/editConfigFile.ts'),
    import('../../io/settings/load.ts'),
  ]);
  const { user } = settingsFiles(env);
  if (readConfig(user) !== was)
    throw refusal('The settings file has changed since you opened it. Reload it and try again.');
  const [problem] = parseSettings(text, user).problems;
  if (problem) throw refusal(problem.message);
  writeConfig(user, text, 'nothing');
  return null;
}

/** Sets one value, or removes it if it is null; everything else in the file stays as it is. */
export async function setValue(
  env: NodeJS.ProcessEnv,
  { path: at, value }: { readonly path: readonly string[]; readonly value: unknown },
): Promise<null> {
  const [
    { settingsFiles },
    { readConfig, valueAt, withoutValue, withValue, writeConfig },
    { sectionProblem },
    schema,
  ] = await Promise.all([
    import('../../io/settings/open.ts'),
    import('../../io/settings/editConfigFile.ts'),
    import('../../io/settings/load.ts'),
    import('../../host/settings/schema/sections.ts'),
  ]);
  const [section = ''] = at;
  const isSection = (each: string): each is keyof typeof schema.sections =>
    Object.hasOwn(schema.sections, each);
  if (!isSection(section)) throw refusal(`There is no setting ${at.join('.')}.`);
  const { user } = settingsFiles(env);
  const text = editedText();
  const problem = sectionProblem(user, section, valueAt(text, [section], user));
  if (problem) throw refusal(problem.message);
  writeConfig(user, text, 'nothing');
  return null;

  function editedText(): string {
    try {
      const before = readConfig(user);
      return value === null
        ? withoutValue(before, [...at], user)
        : withValue(before, [...at], { value, file: user });
    } catch (error) {
      throw refusal(error instanceof Error ? error.message : `${user} cannot be changed.`);
    }
  }
}

function refusal(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message);
}
