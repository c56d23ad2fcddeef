// What the ECA door needs from this host: tools, files, sign-ins and facts about this machine.
import { buildSystemPrompt } from '../../../agents/native/prompt/systemPrompt.ts';
import type { EcaOptions, NativeAgentFacts } from '../../../doors/eca/options.ts';
import { definitionOf } from '../../../host/settings/projectKnowledge.ts';
import { workspaceFiles } from '../../../io/files/fileCompletion.ts';
import { mainTree } from '../../../io/files/gitMainTree.ts';
import { readNamed, readImage, writeNamed } from '../../../io/files/userFiles.ts';
import { machineFacts } from '../../../io/processes/machineFacts.ts';
import { watchProcess } from '../../../io/processes/processWatch.ts';
import { nativeTools } from '../../agents/nativeTools.ts';
import type { App } from '../../app.ts';
import { readHostInfo } from '../../hostInfo.ts';
import { hideSecret } from '../../control/settingsView.ts';
import { ecaConfigure, ecaWelcome } from './configuration.ts';
import { ecaConventions } from './conventions.ts';
import { ecaOneShot } from './oneShot.ts';
import { ecaPlugins } from './plugins.ts';
import { ecaProviders } from './providers.ts';
import { ecaServers } from './servers.ts';

type EcaPorts = Omit<EcaOptions, 'version'>;

/**
 * The ports of one connection by its configuration file. Caches of file names and open tool servers are
 * shared by all of them.
 */
export function ecaPorts(app: App): (configFile: string | undefined) => EcaPorts {
  const { paths, settings } = app;
  const names = workspaceFiles();
  const shared: EcaPorts = {
    nativeAgent: { tools: nativeTools(app), systemPrompt: systemPromptOf(app) },
    workspaceFiles: {
      find: (query, roots, index) => names.find(query, roots, index),
      map: (roots, index) => names.map(roots, index),
      repositoryOf: mainTree,
      texts: { read: readNamed, write: writeNamed },
      readImage: readImage,
    },
    processes: { watch: watchProcess },
    providers: ecaProviders(app),
    oneShot: ecaOneShot(app),
    mcp: ecaServers(app),
    about: {
      settings: (roots) => settings.sourced(roots).map(hideSecret),
      consoleAddress: () => {
        const info = readHostInfo(paths.info);
        return info && { url: info.url, token: paths.token };
      },
      facts: () => [
        ['Data directory', paths.directory],
        ['Log', paths.log],
        ['Node', process.version],
        ['Platform', `${process.platform} ${process.arch}`],
      ],
    },
  };
  return (configFile) => ({
    ...shared,
    plugins: ecaPlugins(app, configFile),
    configure: ecaConfigure(app, configFile),
    about: { ...shared.about, welcome: ecaWelcome(app, configFile) },
  });
}

function systemPromptOf(app: App): NativeAgentFacts['systemPrompt'] {
  return (state, chat) => {
    const { roots, mode, model, chats } = state;
    const pin = chat === undefined ? undefined : chats[chat]?.pinnedPrompt;
    if (pin) return pin.text;
    const knowledge = app.knowledge.now(roots);
    return buildSystemPrompt({
      roots,
      knowledge,
      definition: definitionOf(knowledge, mode),
      model,
      machine: machineFacts(),
      conventions: ecaConventions,
    });
  };
}
