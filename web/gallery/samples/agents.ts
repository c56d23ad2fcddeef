// The agents of the gallery with their models, and what they let a session choose.
import type { SessionConfigPropertySchema } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { AgentInfo, RootState, SessionModelInfo } from '../../../src/protocols/ahp/v1_0/state.ts';
import { shop, shopChat } from './sessions.ts';

function model(
  id: string,
  name: string,
  price: { readonly input: number; readonly output: number },
): SessionModelInfo {
  return { id, name, provider: 'parley', maxContextWindow: 200_000, _meta: { price } };
}

const agents: readonly AgentInfo[] = [
  {
    provider: 'parley',
    displayName: 'Parley',
    description: 'The built-in agent, with any model',
    models: [
      model('anthropic/sonnet', 'Sonnet', { input: 3, output: 15 }),
      model('anthropic/opus', 'Opus', { input: 15, output: 75 }),
      { ...model('openai/large', 'Large', { input: 2, output: 8 }), policyState: 'disabled' },
      model('ollama/local', 'A local model with a name longer than the menu', { input: 0, output: 0 }),
    ],
    capabilities: { multipleChats: { fork: true } },
  },
  { provider: 'claude', displayName: 'Claude Code', description: 'External, by ACP', models: [] },
];

/** What a session of the agent can choose. */
export const choices: Readonly<Record<string, SessionConfigPropertySchema>> = {
  mode: {
    ...{ type: 'string', title: 'Mode', sessionMutable: true, default: 'code' },
    ...{ enum: ['code', 'plan'], enumLabels: ['Code', 'Plan'] },
    enumDescriptions: ['Changes files and runs commands', 'Reads and proposes'],
  },
  permissions: {
    ...{ type: 'string', title: 'Permissions', sessionMutable: true, default: 'ask' },
    ...{ enum: ['plan', 'ask', 'edits', 'auto', 'full'] },
    enumLabels: ['Plan', 'Ask', 'Edits', 'Auto', 'Full'],
    enumDescriptions: [
      'Changes nothing',
      'Everything but reading asks',
      'Edits in the folder run unasked',
      'Commands run unasked in the sandbox, too',
      'Everything runs unasked',
    ],
  },
  worktree: { type: 'boolean', title: 'New worktree', description: 'Works on a branch of its own' },
};

export const root: RootState = {
  agents,
  config: {
    schema: {
      type: 'object',
      properties: { titles: { type: 'boolean', title: 'Name sessions automatically', default: true } },
    },
    values: { titles: true },
  },
  terminals: [
    {
      resource: 'ahp-terminal:/server',
      title: 'npm run dev',
      claim: { kind: 'session', session: shop, chat: shopChat },
    },
    {
      resource: 'ahp-terminal:/checks',
      title: 'npm test',
      claim: { kind: 'session', session: shop, chat: shopChat },
      exitCode: 1,
    },
  ],
};
