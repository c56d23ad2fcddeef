// The external agents of this machine: set up by the user, found on the PATH, or possible to install.
import { realpathSync } from 'node:fs';
import { knownAgents } from '../../agents/acp/registry.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import { present } from '../../base/present.ts';
import type { SettingsValues } from '../../host/settings/settings.ts';
import { listInstalled } from '../../io/agents/install/installedAgents.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { findProgram } from '../../io/processes/findProgram.ts';
import { expand } from '../../io/settings/expand.ts';
import { openSettings } from '../../io/settings/open.ts';

/** Every agent of the settings and of our catalogue, whether it can be used or not. */
export function listAgents({ agents }: SettingsValues, env: NodeJS.ProcessEnv): readonly KnownAgent[] {
  const settings = Object.entries(agents).map(([id, agent]) => ({
    id,
    ...agent,
    ...(agent.env ? { env: expandVariables(agent.env, env) } : {}),
  }));
  return knownAgents(settings, {
    find: (command) => findProgram(command, env),
    realPath: realpathSync,
    installed: listInstalled(dataPaths(env).installedAgents),
  });
}

/**
 * The same from the settings files and the PATH as they are now; problems with the
 * settings go to the callback.
 */
export function readAgents(
  env: NodeJS.ProcessEnv,
  report: (message: string) => void = () => {},
): readonly KnownAgent[] {
  const settings = openSettings({ env });
  try {
    for (const { kind, message } of settings.problems()) if (kind !== 'untrusted') report(message);
    return listAgents(settings.of([]), env);
  } finally {
    settings.close();
  }
}

/** What `parley agents list --json` and the console show of an agent. */
export function agentSummary({ program, source, path, disabled, version }: KnownAgent): object {
  const { id, name, description, command, args, install, sandbox = 'off' } = program;
  return present({
    id,
    name,
    description,
    source,
    command,
    args,
    path,
    version,
    disabled,
    sandbox,
    install: path === undefined ? install : undefined,
  });
}

/** Leaves out each variable that refers to one that is not set. */
function expandVariables(
  values: { readonly [name: string]: string },
  env: NodeJS.ProcessEnv,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const text = expand(value, env);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}
