// Schemas of the params of every request and notification that a host of the newest dialect receives.
import * as z from 'zod';
import { anything, fields, flag, list, number, object, tagged, text, openWord } from '../../shapes.ts';
import { terminalClaim } from './actions.ts';
import { message, textRange } from './content.ts';
import { sessionActiveClient } from './tools.ts';

const onChannel = { channel: text };
const meta = { _meta: anything };
/** The root is the only channel these can mean; VS Code leaves it out of some of them. */
const onRoot = { ...meta, channel: text };
const uri = text;
const encoding = z.enum(['base64', 'utf-8']);
const globs = object({ items: list(text) });
const configContext = { ...onRoot, provider: text, workingDirectory: text, config: anything };
const side = z.enum(['before', 'after']);

export const implementation = object({ name: text }, { version: text, title: text });

export const sideChatSelection = object({ text }, { responsePartId: text });

const chatSource = tagged('kind', {
  fork: fields({ chat: text, turnId: text }),
  sideChat: fields({ chat: text, turnId: text }, { selection: sideChatSelection }),
});

const changesetOperationTarget = tagged('kind', {
  resource: fields({ resource: text }, { side }),
  range: fields({ resource: text, range: textRange }, { side }),
});

const destination = tagged('kind', {
  session: fields({ session: text }, { after: text }),
  newSession: fields({}),
});

export const requestSchemas = {
  initialize: object(
    { protocolVersions: list(text), clientId: text },
    {
      ...onRoot,
      clientInfo: implementation,
      initialSubscriptions: list(text),
      locale: text,
      capabilities: object({}, { mcpApps: anything }),
    },
  ),
  ping: object({}, onRoot),
  reconnect: object({ clientId: text, lastSeenServerSeq: number, subscriptions: list(text) }, onRoot),
  subscribe: object(onChannel, {
    ...meta,
    delivery: object({}, { maxLatencyMs: number }),
    view: object({}, { turns: number }),
  }),
  createSession: object(onChannel, {
    ...meta,
    provider: text,
    workingDirectories: list(text),
    config: anything,
    activeClient: sessionActiveClient,
    progressToken: text,
  }),
  disposeSession: object(onChannel, meta),
  createChat: object(
    { ...onChannel, chat: text },
    { ...meta, initialMessage: message, source: chatSource, workingDirectories: list(text) },
  ),
  moveChat: object({ ...onChannel, destination }, meta),
  disposeChat: object(onChannel, meta),
  createTerminal: object(
    { ...onChannel, claim: terminalClaim },
    { ...meta, name: text, cwd: text, cols: number, rows: number },
  ),
  disposeTerminal: object(onChannel, meta),
  listSessions: object({}, { ...onRoot, limit: number, cursor: text }),
  fetchTurns: object(onChannel, { ...meta, cursor: text }),
  completions: object({ ...onChannel, kind: openWord<'userMessage'>(), text, offset: number }, meta),
  authenticate: object({ resource: text, token: text }, { ...onRoot, scopes: list(text), expiresIn: number }),
  resolveSessionConfig: object({}, configContext),
  sessionConfigCompletions: object({ property: text }, { ...configContext, query: text }),
  invokeChangesetOperation: object(
    { ...onChannel, operationId: text },
    { ...meta, target: changesetOperationTarget },
  ),
  listAutomationTriggerDefinitions: object(
    {},
    { ...onRoot, provider: text, workingDirectories: list(text), sessionConfig: anything },
  ),
  runAutomation: object({ ...onChannel, automation: text, requestId: text }, meta),
  fetchAutomationRuns: object({ ...onChannel, automation: text }, { ...meta, cursor: text }),
  resourceRead: object({ uri }, { ...onRoot, encoding }),
  resourceWrite: object(
    { uri, data: text, encoding },
    {
      ...onRoot,
      contentType: text,
      createOnly: flag,
      mode: z.enum(['truncate', 'append', 'insert']),
      position: number,
      ifMatch: text,
    },
  ),
  resourceList: object({ uri }, onRoot),
  resourceCopy: object({ source: text, destination: text }, { ...onRoot, failIfExists: flag }),
  resourceMove: object({ source: text, destination: text }, { ...onRoot, failIfExists: flag }),
  resourceDelete: object({ uri }, { ...onRoot, recursive: flag }),
  resourceResolve: object({ uri }, { ...onRoot, followSymlinks: flag }),
  resourceMkdir: object({ uri }, onRoot),
  resourceRequest: object({ uri }, { ...onRoot, read: flag, write: flag }),
  createResourceWatch: object({ uri }, { ...onRoot, recursive: flag, excludes: globs, includes: globs }),
};

export const notificationSchemas = {
  unsubscribe: object(onChannel),
  // The action is checked on its own, because a bad one is echoed back.
  dispatchAction: object({ ...onChannel, clientSeq: number, action: z.looseObject({ type: text }) }),
};

/** By the names of their wire types. */
export const requestTypes = {
  implementation,
  sideChatSelection,
  chatSource,
  changesetOperationTarget,
  destination,
};
