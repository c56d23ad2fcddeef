// What the pages of the console ask of the host besides sessions: providers, tool servers, external agents and the settings file.
import * as z from 'zod';
import type { Refused } from '../doors/eca/options.ts';
import { dataPaths } from '../io/paths.ts';
import { RpcError, rpcCodes } from '../rpc/rpcError.ts';
import { offered } from './services.ts';
import { readParams } from './readParams.ts';
import type { ControlMethod } from './sessionControl.ts';

type Methods = { readonly [name: string]: ControlMethod };

/** Everything behind these is loaded when somebody opens such a page. */
export function consoleMethods(env: NodeJS.ProcessEnv): Methods {
  return { ...providerMethods(env), ...serverMethods(), ...agentMethods(env), ...settingsMethods(env) };
}

const name = z.string().min(1).max(200);

function providerMethods(env: NodeJS.ProcessEnv): Methods {
  const providers = async () => (await import('./ecaPorts.ts')).providersOf(env, dataPaths(env).secrets);
  return {
    'providers/list': async () => (await providers()).list(),
    'providers/login': async (params) => {
      const { provider, method } = readParams(z.object({ provider: name, method: name.optional() }), params);
      return done(await (await providers()).login(provider, method));
    },
    'providers/input': async (params) => {
      const { provider, data } = readParams(z.object({ provider: name, data: z.record(name, z.string().max(10_000)) }), params);
      return done(await (await providers()).input(provider, data));
    },
    'providers/logout': async (params) => done(await (await providers()).logout(readParams(z.object({ provider: name }), params).provider)),
  };
}

/** How long servers go on running after nobody has looked at them, in milliseconds. */
const lookedAway = 30_000;

function serverMethods(): Methods {
  let release: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** The servers that the user's own settings name run while somebody looks at them. */
  const servers = async () => {
    const { ecaServers } = await import('./ecaServers.ts');
    release ??= ecaServers.watch(() => {}, []);
    clearTimeout(timer);
    timer = setTimeout(() => {
      release?.();
      release = undefined;
    }, lookedAway).unref();
    return ecaServers;
  };
  return {
    'mcp/list': async () => (await servers()).list([]),
    'mcp/act': async (params) => {
      const wish = readParams(z.object({ server: name, action: z.enum(['start', 'stop', 'connect', 'logout', 'disable', 'enable']) }), params);
      return done(await (await servers()).act(wish.server, wish.action, []));
    },
    'mcp/add': async (params) => {
      const { server, ...reach } = readParams(z.object({ server: name, command: z.string().min(1).optional(), args: z.array(z.string()).optional(), url: z.url({ protocol: /^https?$/ }).optional() }), params);
      if ((reach.command === undefined) === (reach.url === undefined)) throw new RpcError(rpcCodes.invalidParams, 'A server is either a program or an address.');
      return done(offered()?.serverEditor.add(server, reach, { roots: [], root: undefined }));
    },
    'mcp/remove': async (params) => done(await (await servers()).remove(readParams(z.object({ server: name }), params).server, [])),
  };
}

function agentMethods(env: NodeJS.ProcessEnv): Methods {
  const agents = async () => (await import('./agents.ts')).agentsHere(env);
  return {
    'agents/list': async () => {
      const [{ rowOf }, all] = await Promise.all([import('./agents.ts'), agents()]);
      return all.map(rowOf);
    },
    'agents/test': async (params) => {
      const { agent } = readParams(z.object({ agent: name }), params);
      const found = (await agents()).find(({ program }) => program.id === agent);
      if (!found) throw new RpcError(rpcCodes.invalidParams, `There is no agent ${agent}.`);
      const result = await (await import('./testAgent.ts')).tried(found, { env });
      return 'code' in result ? { problem: result.message } : { answered: result.hello.agentInfo ?? null, startMs: Math.round(result.startMs), protocol: result.hello.protocolVersion };
    },
  };
}

function settingsMethods(env: NodeJS.ProcessEnv): Methods {
  return {
    'settings/read': async () => {
      const [{ openSettings, settingsFiles }, { readConfig }, { hideSecret }] = await Promise.all([import('../io/settings/open.ts'), import('../io/configFile.ts'), import('./config.ts')]);
      const { user } = settingsFiles(env);
      const settings = openSettings({ env });
      try {
        return { file: user, text: readConfig(user), values: settings.sourced([]).map(hideSecret), problems: settings.problems().map(({ message }) => message) };
      } finally {
        settings.close();
      }
    },
    /** Nothing is written that could not be read again, or over what somebody else has written meanwhile. */
    'settings/write': async (params) => {
      const { text, was } = readParams(z.object({ text: z.string().max(1_000_000), was: z.string() }), params);
      const [{ settingsFiles }, { readConfig, writeConfig }, { readText }] = await Promise.all([import('../io/settings/open.ts'), import('../io/configFile.ts'), import('../io/settings/load.ts')]);
      const { user } = settingsFiles(env);
      if (readConfig(user) !== was) throw new RpcError(rpcCodes.invalidParams, 'The file has been changed by somebody else; read it again first.');
      const [problem] = readText(text, user).problems;
      if (problem) throw new RpcError(rpcCodes.invalidParams, problem.message);
      writeConfig(user, text, 'nothing');
      return null;
    },
  };
}

/** A refusal becomes the error of the request; nothing to say is null. */
function done<T extends object>(answer: T | Refused | undefined): T | null {
  if (answer && 'refused' in answer) throw new RpcError(rpcCodes.invalidParams, answer.refused);
  return answer ?? null;
}
