// The requests of the console about agents that can be installed. An installation goes on without the
// console, which asks how far it is.
import * as z from 'zod';
import { errorText } from '../../base/errorText.ts';
import { present } from '../../base/present.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { InstallProgress } from '../agents/installAgent.ts';
import type { App } from '../app.ts';
import { name, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

/** How far an installation is, or why it failed. */
type Job = InstallProgress | { readonly problem: string };

export function agentRegistryMethods(app: App): { readonly [name: string]: ControlMethod } {
  const { env } = app;
  const jobs = new Map<string, Job>();
  const stop = new AbortController();
  const registryAs = async (mayFetch: boolean) => {
    const { openRegistry } = await import('../agents/agentRegistry.ts');
    return openRegistry({ env, mayFetch, signal: stop.signal });
  };
  return {
    'agents/registry': async (params) => {
      const { refresh = false } = readParams(z.object({ refresh: z.boolean().optional() }), params);
      const registry = await registryAs(refresh);
      const { registryRows } = await import('../agents/agentRegistry.ts');
      const { at, isSnapshot, problem } = registry;
      return {
        ...present({ at, isSnapshot, problem }),
        agents: registryRows(registry, { env }).map((row) => ({
          ...row,
          ...present({ job: jobs.get(row.registryId) }),
        })),
      };
    },
    /** Answers once the installation has begun. */
    'agents/install': async (params) => {
      const { agent } = readParams(z.object({ agent: name }), params);
      const [{ findEntry }, { installAgent }] = await Promise.all([
        import('../agents/agentRegistry.ts'),
        import('../agents/installAgent.ts'),
      ]);
      const registry = await registryAs(true);
      const entry = refusing(() => findEntry(registry, agent));
      const running = jobs.get(entry.id);
      if (running && 'text' in running)
        throw new RpcError(rpcCodes.invalidParams, `${entry.name} is being installed already.`);
      const onProgress = (progress: InstallProgress) => void jobs.set(entry.id, progress);
      onProgress({ text: 'Starting' });
      const work = async () => {
        try {
          await installAgent(entry, { env, signal: stop.signal, onProgress });
          jobs.delete(entry.id);
          app.refresh();
        } catch (error) {
          jobs.set(entry.id, { problem: errorText(error) });
        }
      };
      void work();
      return null;
    },
    'agents/uninstall': async (params) => {
      const { agent } = readParams(z.object({ agent: name }), params);
      const { removeInstalled } = await import('../../io/agents/install/installedAgents.ts');
      const { isAgentId } = await import('../../agents/acp/registry.ts');
      if (!isAgentId(agent) || !removeInstalled(app.paths.installedAgents, agent))
        throw new RpcError(rpcCodes.invalidParams, `"${agent}" is not installed by Parley.`);
      app.refresh();
      return null;
    },
  };
}

function refusing<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw new RpcError(rpcCodes.invalidParams, errorText(error));
  }
}
