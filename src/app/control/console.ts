// What the pages of the console ask of the host besides sessions: providers, tool servers, external agents and the settings file.
import * as z from 'zod';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { loginMethods } from './logins.ts';
import { name, readParams } from './readParams.ts';
import { serverMethods } from './servers.ts';
import type { ControlMethod } from './sessions.ts';

type Methods = { readonly [name: string]: ControlMethod };

/** Everything behind these is loaded when somebody opens such a page. */
export function consoleMethods(env: NodeJS.ProcessEnv): Methods {
  return {
    ...loginMethods(env),
    ...serverMethods(),
    ...agentMethods(env),
    ...agentEdits(env),
    ...settingsMethods(env),
  };
}

function agentMethods(env: NodeJS.ProcessEnv): Methods {
  const agents = async () => (await import('../../cli/accounts/agents.ts')).agentsHere(env);
  return {
    'agents/list': async () => {
      const [{ rowOf }, all] = await Promise.all([import('../../cli/accounts/agents.ts'), agents()]);
      return all.map(rowOf);
    },
    'agents/test': async (params) => {
      const { agent } = readParams(z.object({ agent: name }), params);
      const found = (await agents()).find(({ program }) => program.id === agent);
      if (!found) throw new RpcError(rpcCodes.invalidParams, `There is no agent ${agent}.`);
      const result = await (await import('../agents/probeAgent.ts')).tried(found, { env });
      return 'code' in result
        ? { problem: result.message }
        : {
            answered: result.hello.agentInfo ?? null,
            startMs: Math.round(result.startMs),
            protocol: result.hello.protocolVersion,
          };
    },
  };
}

/** The settings are followed, so whoever is added or removed there comes and goes by itself. */
function agentEdits(env: NodeJS.ProcessEnv): Methods {
  const file = async () => (await import('../../io/settings/open.ts')).settingsFiles(env).user;
  return {
    'agents/add': async (params) => {
      const { agent, ...program } = readParams(
        z.object({ agent: name, command: z.string().min(1), args: z.array(z.string()) }),
        params,
      );
      const [{ agentsHere }, { isAgentId, isReservedId }, { storeAgent }] = await Promise.all([
        import('../../cli/accounts/agents.ts'),
        import('../../agents/acp/registry.ts'),
        import('../../io/agents/agentSettings.ts'),
      ]);
      if (!isAgentId(agent) || isReservedId(agent))
        throw new RpcError(
          rpcCodes.invalidParams,
          `"${agent}" is no id for an agent: use letters, digits, dots, dashes and underscores.`,
        );
      if (agentsHere(env).some(({ program: { id }, source }) => id === agent && source === 'configured'))
        throw new RpcError(rpcCodes.invalidParams, `${agent} is set up already.`);
      storeAgent(await file(), agent, program);
      return null;
    },
    'agents/remove': async (params) => {
      const { agent } = readParams(z.object({ agent: name }), params);
      const { removeAgent } = await import('../../io/agents/agentSettings.ts');
      if (!removeAgent(await file(), agent))
        throw new RpcError(rpcCodes.invalidParams, `The settings have no agent ${agent}.`);
      return null;
    },
  };
}

function settingsMethods(env: NodeJS.ProcessEnv): Methods {
  return {
    'settings/read': async () => {
      const [{ openSettings, settingsFiles }, { readConfig }, { hideSecret }] = await Promise.all([
        import('../../io/settings/open.ts'),
        import('../../io/settings/editConfigFile.ts'),
        import('../../cli/setup/config.ts'),
      ]);
      const { user } = settingsFiles(env);
      const settings = openSettings({ env });
      try {
        return {
          file: user,
          text: readConfig(user),
          values: settings.sourced([]).map(hideSecret),
          problems: settings.problems().map(({ message }) => message),
        };
      } finally {
        settings.close();
      }
    },
    /** Nothing is written that could not be read again, or over what somebody else has written meanwhile. */
    'settings/write': async (params) => {
      const { text, was } = readParams(
        z.object({ text: z.string().max(1_000_000), was: z.string() }),
        params,
      );
      const [{ settingsFiles }, { readConfig, writeConfig }, { readText }] = await Promise.all([
        import('../../io/settings/open.ts'),
        import('../../io/settings/editConfigFile.ts'),
        import('../../io/settings/load.ts'),
      ]);
      const { user } = settingsFiles(env);
      if (readConfig(user) !== was)
        throw new RpcError(
          rpcCodes.invalidParams,
          'The file has been changed by somebody else; read it again first.',
        );
      const [problem] = readText(text, user).problems;
      if (problem) throw new RpcError(rpcCodes.invalidParams, problem.message);
      writeConfig(user, text, 'nothing');
      return null;
    },
  };
}
