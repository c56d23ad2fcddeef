// Our tools as they are listed for users; which of them a conversation has depends on its profile.
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

/** The tool for compaction is not listed, because it cannot be switched off. */
export const listedTools: readonly Tool[] = [
  ...nativeTools,
  ...conversationTools.filter((tool) => tool !== compactChat),
  spawn,
];
