// The tools of our own as they are listed for people; what a conversation really has depends on its role.
import { builtInAgents } from '../../../host/settings/builtInProfiles.ts';
import { nativeTools } from './all.ts';
import { compactChat } from './conversation/compactChat.ts';
import { conversationTools } from './conversation/conversationTools.ts';
import { spawnAgent } from './conversation/spawnAgent.ts';
import type { Tool } from './tool.ts';

const spawn = spawnAgent({
  agents: builtInAgents.filter(({ mode }) => mode !== 'primary'),
  hasModel: () => true,
});

/** The tool that a full conversation needs is nothing to switch on or off. */
export const listedTools: readonly Tool[] = [
  ...nativeTools,
  ...conversationTools.filter((tool) => tool !== compactChat),
  spawn,
];
