// Schemas of the params of every request and notification that a version 1 host receives.
import * as z from 'zod';
import { anything, flag, list, number, object, text } from '../../shapes.ts';
import { activeClient, modelSelection, terminalClaim } from './content.ts';

const encoding = z.enum(['base64', 'utf-8']);

const configContext = { provider: text, workingDirectory: text, config: anything };

export const requestSchemas = {
  initialize: object(
    { protocolVersion: number, clientId: text },
    { initialSubscriptions: list(text), locale: text },
  ),
  reconnect: object({ clientId: text, lastSeenServerSeq: number, subscriptions: list(text) }),
  subscribe: object({ resource: text }),
  createSession: object(
    { session: text },
    {
      provider: text,
      model: modelSelection,
      workingDirectory: text,
      fork: object({ session: text, turnId: text }),
      config: anything,
      activeClient,
    },
  ),
  disposeSession: object({ session: text }),
  createTerminal: object(
    { terminal: text, claim: terminalClaim },
    { name: text, cwd: text, cols: number, rows: number },
  ),
  disposeTerminal: object({ terminal: text }),
  listSessions: object({}, { filter: anything }),
  resourceRead: object({ uri: text }, { encoding }),
  resourceWrite: object({ uri: text, data: text, encoding }, { contentType: text, createOnly: flag }),
  resourceList: object({ uri: text }),
  resourceCopy: object({ source: text, destination: text }, { failIfExists: flag }),
  resourceMove: object({ source: text, destination: text }, { failIfExists: flag }),
  resourceDelete: object({ uri: text }, { recursive: flag }),
  fetchTurns: object({ session: text }, { before: text, limit: number }),
  authenticate: object({ resource: text, token: text }),
  resolveSessionConfig: object({}, configContext),
  sessionConfigCompletions: object({ property: text }, { ...configContext, query: text }),
};

export const notificationSchemas = {
  unsubscribe: object({ resource: text }),
  // The action is checked on its own, because a bad one is echoed back.
  dispatchAction: object({ clientSeq: number, action: z.looseObject({ type: text }) }),
};
