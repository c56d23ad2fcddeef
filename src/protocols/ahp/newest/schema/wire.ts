// Schemas of what a host sends besides chats: states, summaries, envelopes and results. Named after their wire types.
// A host types what it sends, so these serve those who receive it: checks of round trips, and tests.
//
// They also accept what peers before 0.9 sent in places that 0.9 changed.
import { z } from 'zod';
import { anything, dictionary, fields, flag, list, number, object, openTagged, text } from '../../shapes.ts';
import { changesSummary, changeset, chatInputRequest, chatOrigin, chatSummary, sessionStatus, toolCallState } from './chat.ts';
import { errorInfo, fileEdit, jsonPrimitive, stringOrMarkdown, textRange } from './content.ts';
import { implementation } from './requests.ts';
import { customization, protectedResourceMetadata, sessionActiveClient, toolDefinition } from './tools.ts';

const meta = { _meta: anything };

export const configPropertySchema = object(
  { type: text, title: text },
  { description: text, enum: list(jsonPrimitive), enumLabels: list(text), enumDescriptions: list(text), readOnly: flag },
);

export const configSchema = object(
  { type: z.literal('object'), properties: dictionary(configPropertySchema) },
  { required: list(text) },
);

export const rootConfigState = object({ schema: configSchema, values: anything });

export const sessionConfigState = rootConfigState;

export const sessionModelInfo = object(
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

export const agentCapabilities = object(
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

export const terminalClaim = openTagged('kind', {
  client: fields({ clientId: text }),
  session: fields({ session: text }, { chat: text, turnId: text, toolCallId: text }),
});

export const terminalInfo = object({ resource: text, title: text, claim: terminalClaim }, { exitCode: number });

export const rootState = object(
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

export const sessionMetadata = object(sessionFields, sessionOptions);

export const sessionState = object(
  { ...sessionFields, lifecycle: text, activeClients: list(sessionActiveClient), chats: list(chatSummary) },
  {
    ...meta,
    ...sessionOptions,
    creationError: errorInfo,
    serverTools: list(toolDefinition),
    defaultChat: text,
    config: sessionConfigState,
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

export const sessionSummary = object(summaryFields, summaryOptions);

export const partialSessionSummary = object({}, { ...summaryFields, ...summaryOptions });

export const terminalContentPart = openTagged('type', {
  unclassified: fields({ value: text }),
  command: fields(
    { commandId: text, commandLine: text, output: text, timestamp: number, isComplete: flag },
    { exitCode: number, durationMs: number },
  ),
});

export const terminalState = object(
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

export const changesetState = object(
  { status: text, files: list(changesetFile) },
  { error: errorInfo, operations: list(changesetOperation) },
);

export const annotationEntry = object({ id: text, text: stringOrMarkdown }, meta);

export const annotation = object(
  { id: text, resource: text, resolved: flag, entries: list(annotationEntry) },
  {
    ...meta,
    origin: object({ session: text }, { chat: text, turnId: text }),
    turnId: text,
    range: textRange,
  },
);

export const annotationsState = object({ annotations: list(annotation) });

const globs = object({ items: list(text) });

export const resourceWatchState = object({ root: text, recursive: flag }, { excludes: globs, includes: globs });

export const canvasState = object(
  { instanceId: text, extensionId: text, canvasId: text },
  { extensionName: text, title: text, status: text, url: text },
);

/** Which state it is follows from the channel, not from the value. */
export const snapshot = object({ resource: text, state: anything, fromSeq: number });

export const actionOrigin = object({ clientId: text, clientSeq: number });

export const initializeResult = object(
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

export const subscribeResult = object({}, { snapshot });

export const listSessionsResult = object({ items: list(sessionSummary) }, { nextCursor: text });

export const sessionAddedParams = object({ channel: text, summary: sessionSummary });

export const sessionRemovedParams = object({ channel: text, session: text });

export const sessionSummaryChangedParams = object({ channel: text, session: text, changes: partialSessionSummary });

export const authRequiredParams = object({ channel: text, resource: protectedResourceMetadata }, { reason: text });

export const progressParams = object(
  { channel: text, progressToken: text, progress: number },
  { total: number, message: text },
);
