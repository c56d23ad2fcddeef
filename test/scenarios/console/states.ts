// Small valid states for tests to start from. Every function takes what a test wants to be different.
import type {
  AgentInfo,
  ChatState,
  RootState,
  SessionState,
  SessionSummary,
  Turn,
} from '../../../src/protocols/ahp/v1_0/state.ts';

const at = '2026-01-02T03:04:05.000Z';

export const demoAgent: AgentInfo = {
  provider: 'demo',
  displayName: 'Demo',
  description: 'Answers without a key.',
  models: [
    { id: 'demo', provider: 'demo', name: 'Demo model' },
    { id: 'other', provider: 'demo', name: 'Other model' },
  ],
  protectedResources: [],
};

export function rootState(changes: Partial<RootState> = {}): RootState {
  return { agents: [demoAgent], ...changes };
}

export function chatUri(session: string): string {
  return session.replace('ahp-session:', 'ahp-chat:');
}

export function chatState(resource: string, changes: Partial<ChatState> = {}): ChatState {
  return { resource, title: 'Chat', status: 1, modifiedAt: at, turns: [], ...changes };
}

export function sessionState(session: string, changes: Partial<SessionState> = {}): SessionState {
  const chat = chatUri(session);
  const { title = 'A session', status = 1 } = changes;
  return {
    provider: 'demo',
    title,
    status,
    lifecycle: 'ready',
    activeClients: [],
    chats: [{ resource: chat, title, status, modifiedAt: at }],
    defaultChat: chat,
    workingDirectories: ['file:///home/user/project'],
    ...changes,
  };
}

export function summaryOf(resource: string, changes: Partial<SessionSummary> = {}): SessionSummary {
  return {
    resource,
    provider: 'demo',
    title: 'A session',
    status: 1,
    createdAt: at,
    modifiedAt: at,
    workingDirectories: ['file:///home/user/project'],
    ...changes,
  };
}

export function turnOf(id: string, text: string, changes: Partial<Turn> = {}): Turn {
  return {
    id,
    startedAt: at,
    duration: 1200,
    message: { text, origin: { kind: 'user' } },
    responseParts: [],
    state: 'complete',
    ...changes,
  };
}
