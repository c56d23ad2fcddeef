// The requests of the console's pages: model providers, tool servers, external agents, the settings file, and
// the git state of a folder.
import * as z from 'zod';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { App } from '../app.ts';
import { agentRegistryMethods } from './agentRegistry.ts';
import { loginMethods } from './logins.ts';
import { controlDone, name, readParams } from './readParams.ts';
import { serverMethods } from './servers.ts';
import type { ControlMethod } from './sessions.ts';
import { settingsMethods } from './settings.ts';

type Methods = { readonly [name: string]: ControlMethod };

/** The code behind these is loaded with the first request of such a page. */
export function consoleMethods(app: App): Methods {
  const { env } = app;
  return {
    ...loginMethods(app),
    ...serverMethods(app),
    ...agentMethods(app),
    ...agentRegistryMethods(app),
    ...agentEdits(env),
    ...settingsMethods(env),
    ...gitMethods,
  };
}

const folder = z.string().startsWith('/').max(4096);

const gitMethods: Methods = {
  'git/state': async (params) => {
    const { folder: at } = readParams(z.object({ folder }), params);
    const { workTree } = await import('../../io/git/workTree.ts');
    return (await workTree(at)) ?? null;
  },
  'git/commit': async (params) => {
    const { folder: at, ...request } = readParams(
      z.object({ folder, message: z.string().min(1).max(100_000), paths: z.array(folder).min(1).max(5000) }),
      params,
    );
    const { commitFiles } = await import('../../io/git/workTree.ts');
    return controlDone(await commitFiles(at, request));
  },
};

function agentMethods({ env, extensions }: App): Methods {
  return {
    'agents/running': () => extensions.agents.list(),
    'agents/list': async () => {
      const { agentSummary, readAgents } = await import('../agents/agentList.ts');
      return readAgents(env).map(agentSummary);
    },
    'agents/test': async (params) => {
      const { agent } = readParams(z.object({ agent: name }), params);
      const [{ readAgents }, { probeAgent }] = await Promise.all([
        import('../agents/agentList.ts'),
        import('../agents/probeAgent.ts'),
      ]);
      const known = readAgents(env).find(({ program }) => program.id === agent);
      if (!known) throw new RpcError(rpcCodes.invalidParams, `Unknown agent "${agent}".`);
      const result = await probeAgent(known, { env });
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

/** The host watches the settings file, so a change here takes effect without a restart. */
function agentEdits(env: NodeJS.ProcessEnv): Methods {
  const file = async () => (await import('../../io/settings/open.ts')).settingsFiles(env).user;
  return {
    'agents/add': async (params) => {
      const { agent, ...program } = readParams(
        z.object({ agent: name, command: z.string().min(1), args: z.array(z.string()) }),
        params,
      );
      const [{ readAgents }, { isAgentId, isReservedId }, { storeAgent }] = await Promise.all([
        import('../agents/agentList.ts'),
        import('../../agents/acp/registry.ts'),
        import('../../io/agents/agentSettings.ts'),
      ]);
      if (!isAgentId(agent) || isReservedId(agent))
        throw new RpcError(
          rpcCodes.invalidParams,
          `Invalid agent ID "${agent}". Use letters, digits, dots, dashes and underscores.`,
        );
      if (readAgents(env).some(({ program: { id }, source }) => id === agent && source === 'configured'))
        throw new RpcError(rpcCodes.invalidParams, `The agent "${agent}" already exists.`);
      storeAgent(await file(), agent, program);
      return null;
    },
    'agents/remove': async (params) => {
      const { agent } = readParams(z.object({ agent: name }), params);
      const { removeAgent } = await import('../../io/agents/agentSettings.ts');
      if (!removeAgent(await file(), agent))
        throw new RpcError(rpcCodes.invalidParams, `The settings have no agent "${agent}".`);
      return null;
    },
  };
}
