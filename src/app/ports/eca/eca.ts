// What the ECA door is given: tools, files, commands and facts of this machine.
import { readFileSync } from 'node:fs';
import { listedTools } from '../../../agents/native/tools/listed.ts';
import { pinIn } from '../../../agents/native/prompt/pinnedPrompt.ts';
import { systemPrompt } from '../../../agents/native/prompt/systemPrompt.ts';
import { bareKnowledge, definitionOf, hasTool, isNamed } from '../../../host/settings/projectKnowledge.ts';
import { machineFacts } from '../../../io/processes/machineFacts.ts';
import { offered } from '../../app.ts';
import type { ConsoleAddress, EcaDoorOptions, NativeAgentFacts } from '../../../doors/eca/options.ts';
import { ecaConfigure } from './configuration.ts';
import { hideSecret } from '../../../cli/setup/config.ts';
import { ecaConventions } from './conventions.ts';
import { ecaOneShot } from './oneShot.ts';
import { ecaPlugins } from './plugins.ts';
import { ecaProviders } from './providers.ts';
import { ecaServers } from './servers.ts';
import { mainTree } from '../../../io/files/gitMainTree.ts';
import { dataPaths } from '../../../io/settings/dataPaths.ts';
import { watchProcess } from '../../../io/processes/processWatch.ts';
import { readNamed, readPicture, writeNamed } from '../../../io/files/userFiles.ts';
import { workspaceFiles } from '../../../io/files/fileCompletion.ts';

/** One for all connections: whoever signs in does it for everybody. */
let providers: ReturnType<typeof ecaProviders> | undefined;

export function providersOf(env: NodeJS.ProcessEnv, secrets: string): ReturnType<typeof ecaProviders> {
  return (providers ??= ecaProviders(env, secrets));
}

/** One for all connections: the names in a folder are read once for everybody. */
const found = workspaceFiles();

export function ecaPorts(
  env: NodeJS.ProcessEnv,
  { configFile }: { readonly configFile?: string | undefined } = {},
): Omit<EcaDoorOptions, 'version'> {
  const paths = dataPaths(env);
  return {
    nativeAgent: { tools, systemPrompt: told },
    workspaceFiles: {
      find: (query, roots, index) => found.find(query, roots, index),
      map: (roots, index) => found.map(roots, index),
      repositoryOf: mainTree,
      texts: { read: readNamed, write: writeNamed },
      readImage: readPicture,
    },
    processes: { watch: watchProcess },
    providers: providersOf(env, paths.secrets),
    oneShot: ecaOneShot(env),
    mcp: ecaServers,
    plugins: ecaPlugins(env, configFile),
    configure: ecaConfigure(env, configFile),
    about: {
      settings: (roots) => offered()?.settings.sourced(roots).map(hideSecret) ?? [],
      consoleAddress: () => consoleAt(paths.info, paths.token),
      facts: () => [
        ['Data directory', paths.directory],
        ['Log', paths.log],
        ['Node', process.version],
        ['Platform', `${process.platform} ${process.arch}`],
      ],
    },
  };
}

/** What a way to work or the settings take away is listed all the same. */
function tools({
  roots,
  mode,
}: Parameters<NativeAgentFacts['tools']>[0]): ReturnType<NativeAgentFacts['tools']> {
  const definition = definitionOf(offered()?.knowledge.now(roots) ?? bareKnowledge, mode);
  const off = offered()?.settings.of(roots).disabledTools ?? [];
  return listedTools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    disabled: (definition !== undefined && !hasTool(definition, tool)) || isNamed(off, tool),
  }));
}

function told(...[state, chat]: Parameters<NativeAgentFacts['systemPrompt']>): string {
  const { roots, mode, model } = state;
  const pin = chat === undefined ? undefined : pinIn(state, chat);
  if (pin) return pin.text;
  const knowledge = offered()?.knowledge.now(roots) ?? bareKnowledge;
  return systemPrompt({
    roots,
    knowledge,
    definition: definitionOf(knowledge, mode),
    model,
    machine: machineFacts(),
    conventions: ecaConventions,
  });
}

/** The host says where it listens in its info file; without one no browser can reach it. */
function consoleAt(info: string, token: string): ConsoleAddress | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(info, 'utf8'));
    return typeof value === 'object' && value !== null && 'url' in value
      ? { url: String(value.url), token }
      : undefined;
  } catch {
    return undefined;
  }
}
