// Schemas of what a host sends besides chats: states, summaries, envelopes and results. Named after
// their wire types. A host types what it sends, so these serve those who receive it: checks of
// round trips, and tests.
//
// They also accept what peers before 0.9 sent in places that 0.9 changed.
import * as z from 'zod';
import {
  anything,
  dictionary,
  fields,
  flag,
  list,
  number,
  object,
  openTagged,
  text,
} from '../../../../../src/protocols/ahp/shapes.ts';
import {
  changesSummary,
  changeset,
  chatInputRequest,
  chatOrigin,
  chatSummary,
  sessionStatus,
  toolCallState,
} from './chat.ts';
import {
  errorInfo,
  fileEdit,
  jsonPrimitive,
  stringOrMarkdown,
  textRange,
} from '../../../../../src/protocols/ahp/v1_0/schema/content.ts';
import { implementation } from '../../../../../src/protocols/ahp/v1_0/schema/requests.ts';
import {
  customization,
  protectedResourceMetadata,
  sessionActiveClient,
  toolDefinition,
} from '../../../../../src/protocols/ahp/v1_0/schema/tools.ts';

const meta = { _meta: anything };

const configPropertySchema = object(
  { type: text, title: text },
  {
    description: text,
    enum: list(jsonPrimitive),
    enumLabels: list(text),
    enumDescriptions: list(text),
    readOnly: flag,
  },
);

const configSchema = object(
  { type: z.literal('object'), properties: dictionary(configPropertySchema) },
  { required: list(text) },
);

const rootConfigState = object({ schema: configSchema, values: anything });

const sessionModelInfo = object(
  { id: text, provider: text, name: text },
  {
    ...meta,
    maxContextWindow: number,
    maxOutputTokens: number,
    maxPromptTokens: number,
    supportsVision: flag,
    policyState: text,
    configSchema,
  },
);

const agentCapabilities = object(
  {},
  {
    multipleChats: object({}, { fork: flag, sideChat: flag }),
    multipleWorkingDirectories: object({}, { immutablePrimary: flag, primaryReplacement: flag }),
  },
);

export const agentInfo = object(
  { provider: text, displayName: text, description: text, models: list(sessionModelInfo) },
  {
    protectedResources: list(protectedResourceMetadata),
    customizations: list(customization),
    capabilities: agentCapabilities,
  },
);

const terminalClaim = openTagged('kind', {
  client: fields({ clientId: text }),
  session: fields({ session: text }, { chat: text, turnId: text, toolCallId: text }),
});

export const terminalInfo = object(
  { resource: text, title: text, claim: terminalClaim },
  { exitCode: number },
);

const rootState = object(
  { agents: list(agentInfo) },
  { ...meta, activeSessions: number, terminals: list(terminalInfo), config: rootConfigState },
);

const inputNeeded = { id: text, chat: text };

export const sessionInputRequest = openTagged('kind', {
  chatInput: fields({ ...inputNeeded, request: chatInputRequest }),
  toolConfirmation: fields({ ...inputNeeded, turnId: text, toolCall: toolCallState }),
  toolClientExecution: fields({ ...inputNeeded, turnId: text, clientId: text, toolCall: toolCallState }),
  toolAuthentication: fields({ ...inputNeeded, turnId: text, toolCall: toolCallState }),
});

const sessionFields = { provider: text, title: text, status: sessionStatus };

const sessionOptions = {
  activity: text,
  origin: openTagged('kind', { automation: fields({ automation: text, run: text }) }),
  project: object({ uri: text, displayName: text }),
  workingDirectories: list(text),
  annotations: object({ resource: text, annotationCount: number, entryCount: number }),
};

const sessionMetadata = object(sessionFields, sessionOptions);

const sessionState = object(
  { ...sessionFields, lifecycle: text, activeClients: list(sessionActiveClient), chats: list(chatSummary) },
  {
    ...meta,
    ...sessionOptions,
    creationError: errorInfo,
    serverTools: list(toolDefinition),
    defaultChat: text,
    config: rootConfigState,
    customizations: list(customization),
    changesets: list(changeset),
    inputNeeded: list(sessionInputRequest),
  },
);

const summaryFields = { ...sessionFields, resource: text, createdAt: text, modifiedAt: text };

const sessionChatSummary = object(
  { resource: text, title: text, status: sessionStatus },
  { origin: chatOrigin, interactivity: text, changes: changesSummary },
);

const summaryOptions = {
  ...meta,
  ...sessionOptions,
  changes: changesSummary,
  chats: list(sessionChatSummary),
  defaultChat: text,
};

const sessionSummary = object(summaryFields, summaryOptions);

const partialSessionSummary = object({}, { ...summaryFields, ...summaryOptions });

const terminalContentPart = openTagged('type', {
  unclassified: fields({ value: text }),
  command: fields(
    { commandId: text, commandLine: text, output: text, timestamp: number, isComplete: flag },
    { exitCode: number, durationMs: number },
  ),
});

const terminalState = object(
  { title: text, content: list(terminalContentPart), claim: terminalClaim },
  {
    cwd: text,
    cols: number,
    rows: number,
    lifecycle: openTagged('status', { running: fields({}), exited: fields({}, { exitCode: number }) }),
    exitCode: number,
    supportsCommandDetection: flag,
    isPty: flag,
  },
);

export const changesetFile = object({ id: text, edit: fileEdit }, { ...meta, reviewed: flag });

export const changesetOperation = object(
  { id: text, label: text, scopes: list(text), status: text },
  { description: text, confirmation: stringOrMarkdown, icon: text, group: text, error: errorInfo },
);

const changesetState = object(
  { status: text, files: list(changesetFile) },
  { error: errorInfo, operations: list(changesetOperation) },
);

const annotationEntry = object({ id: text, text: stringOrMarkdown }, meta);

const annotation = object(
  { id: text, resource: text, resolved: flag, entries: list(annotationEntry) },
  {
    ...meta,
    origin: object({ session: text }, { chat: text, turnId: text }),
    turnId: text,
    range: textRange,
  },
);

const annotationsState = object({ annotations: list(annotation) });

const globs = object({ items: list(text) });

const resourceWatchState = object({ root: text, recursive: flag }, { excludes: globs, includes: globs });

export const canvasState = object(
  { instanceId: text, extensionId: text, canvasId: text },
  { extensionName: text, title: text, status: text, url: text },
);

/** Which state it is follows from the channel, not from the value. */
const snapshot = object({ resource: text, state: anything, fromSeq: number });

export const actionOrigin = object({ clientId: text, clientSeq: number });

const initializeResult = object(
  { protocolVersion: text, serverSeq: number, snapshots: list(snapshot) },
  {
    ...meta,
    serverInfo: implementation,
    defaultDirectory: text,
    completionTriggerCharacters: list(text),
    terminalCommandPrefix: text,
    telemetry: object({}, { logs: text, traces: text, metrics: text }),
    automations: anything,
  },
);

const subscribeResult = object({}, { snapshot });

const listSessionsResult = object({ items: list(sessionSummary) }, { nextCursor: text });

const sessionAddedParams = object({ channel: text, summary: sessionSummary });

const sessionRemovedParams = object({ channel: text, session: text });

const sessionSummaryChangedParams = object({ channel: text, session: text, changes: partialSessionSummary });

const authRequiredParams = object({ channel: text, resource: protectedResourceMetadata }, { reason: text });

const progressParams = object(
  { channel: text, progressToken: text, progress: number },
  { total: number, message: text },
);

/** By the names of their wire types. */
export const wireTypes = {
  configPropertySchema,
  configSchema,
  rootConfigState,
  sessionConfigState: rootConfigState,
  sessionModelInfo,
  agentCapabilities,
  agentInfo,
  terminalClaim,
  terminalInfo,
  rootState,
  sessionInputRequest,
  sessionMetadata,
  sessionState,
  sessionSummary,
  partialSessionSummary,
  terminalContentPart,
  terminalState,
  changesetFile,
  changesetOperation,
  changesetState,
  annotationEntry,
  annotation,
  annotationsState,
  resourceWatchState,
  canvasState,
  snapshot,
  actionOrigin,
  initializeResult,
  subscribeResult,
  listSessionsResult,
  sessionAddedParams,
  sessionRemovedParams,
  sessionSummaryChangedParams,
  authRequiredParams,
  progressParams,
};
