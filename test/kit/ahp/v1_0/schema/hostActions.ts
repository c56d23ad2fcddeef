// Schemas of the actions that only a host sends, and of any action and its envelope.
import * as z from 'zod';
import {
  actionSchemas,
  anything,
  fields,
  flag,
  list,
  number,
  object,
  text,
} from '../../../../../src/protocols/ahp/shapes.ts';
import type { ActionType, ClientActionType } from '../../../../../src/protocols/ahp/v1_0/actions.ts';
import { clientActionSchemas } from '../../../../../src/protocols/ahp/v1_0/schema/actions.ts';
import {
  backgroundWork,
  changeset,
  chatInputRequest,
  chatSummary,
  confirmationOption,
  errorResponsePart,
  partialChatSummary,
  responsePart,
  toolCallContributor,
  toolCallRiskAssessment,
  toolInput,
  turn,
  usageInfo,
} from './chat.ts';
import {
  errorInfo,
  fileEdit,
  stringOrMarkdown,
} from '../../../../../src/protocols/ahp/v1_0/schema/content.ts';
import {
  customization,
  mcpAuthRequirement,
  mcpServerState,
  toolDefinition,
} from '../../../../../src/protocols/ahp/v1_0/schema/tools.ts';
import {
  actionOrigin,
  agentInfo,
  canvasState,
  changesetFile,
  changesetOperation,
  sessionInputRequest,
  terminalInfo,
} from './wire.ts';

const id = text;
const meta = { _meta: anything };
const ofTurn = { turnId: text };
const ofToolCall = { ...ofTurn, toolCallId: text };
const resourceChange = object({ uri: text, type: text });

export const hostActionSchemas: { readonly [Type in Exclude<ActionType, ClientActionType>]: z.ZodType } =
  actionSchemas({
    'root/agentsChanged': fields({ agents: list(agentInfo) }),
    'root/activeSessionsChanged': fields({ activeSessions: number }),
    'root/terminalsChanged': fields({ terminals: list(terminalInfo) }),
    'session/ready': fields({}),
    'session/creationFailed': fields({ error: errorInfo }),
    'session/chatAdded': fields({ summary: chatSummary }),
    'session/chatRemoved': fields({ chat: text }),
    'session/chatUpdated': fields({ chat: text, changes: partialChatSummary }),
    'session/chatsReordered': fields({ chats: list(text) }),
    'session/defaultChatChanged': fields({}, { defaultChat: text }),
    'session/activityChanged': fields({}, { activity: text }),
    'session/changesetsChanged': fields({}, { changesets: list(changeset) }),
    'session/metaChanged': fields({}, meta),
    'session/serverToolsChanged': fields({ tools: list(toolDefinition) }),
    'session/inputNeededSet': fields({ request: sessionInputRequest }),
    'session/inputNeededRemoved': fields({ id }),
    'session/customizationsChanged': fields({ customizations: list(customization) }),
    'session/customizationUpdated': fields({ customization }),
    'session/customizationRemoved': fields({ id }),
    'session/mcpServerStateChanged': fields({ id, state: mcpServerState }, { channel: text }),
    'chat/delta': fields({ ...ofTurn, partId: text, content: text }, meta),
    'chat/reasoning': fields({ ...ofTurn, partId: text, content: text }, meta),
    'chat/responsePart': fields({ ...ofTurn, part: responsePart }, meta),
    'chat/usage': fields({ ...ofTurn, usage: usageInfo }, meta),
    'chat/turnComplete': fields({ ...ofTurn, duration: number }, meta),
    'chat/error': fields({ ...ofTurn, duration: number, part: errorResponsePart }, meta),
    'chat/turnsLoaded': fields({ turns: list(turn) }, { turnsNextCursor: text }),
    'chat/toolCallStart': fields(
      { ...ofToolCall, toolName: text, displayName: text },
      { ...meta, intention: text, contributor: toolCallContributor },
    ),
    'chat/toolCallDelta': fields(ofToolCall, { ...meta, content: text, invocationMessage: stringOrMarkdown }),
    'chat/toolCallReady': fields(
      { ...ofToolCall, invocationMessage: stringOrMarkdown },
      {
        ...meta,
        contributor: toolCallContributor,
        intention: text,
        toolInput,
        confirmationTitle: stringOrMarkdown,
        riskAssessment: toolCallRiskAssessment,
        edits: object({ items: list(fileEdit) }),
        editable: flag,
        confirmed: z.enum(['not-needed', 'user-action', 'setting']),
        options: list(confirmationOption),
      },
    ),
    'chat/toolCallAuthRequired': fields({ ...ofToolCall, auth: mcpAuthRequirement }, meta),
    'chat/toolCallAuthResolved': fields(ofToolCall, meta),
    'chat/inputRequested': fields({ request: chatInputRequest }),
    'chat/activityChanged': fields({}, { activity: text }),
    'chat/backgroundWorkSet': fields({ work: backgroundWork }),
    'chat/backgroundWorkRemoved': fields({ id }),
    'chat/movableChanged': fields({ movable: flag }),
    'chat/changesetsChanged': fields({}, { changesets: list(changeset) }),
    'chat/canvasesChanged': fields({}, { canvases: list(z.union([text, anything])) }),
    'terminal/data': fields({ data: text }),
    'terminal/cwdChanged': fields({ cwd: text }),
    'terminal/exited': fields({}, { exitCode: number }),
    'terminal/commandDetectionAvailable': fields({}),
    'terminal/commandExecuted': fields({ commandId: text, commandLine: text, timestamp: number }),
    'terminal/commandFinished': fields({ commandId: text }, { exitCode: number, durationMs: number }),
    'changeset/statusChanged': fields({ status: text }, { error: errorInfo }),
    'changeset/fileSet': fields({ file: changesetFile }),
    'changeset/fileRemoved': fields({ fileId: text }),
    'changeset/contentChanged': fields(
      { files: list(changesetFile) },
      { operations: list(changesetOperation) },
    ),
    'changeset/operationsChanged': fields({}, { operations: list(changesetOperation) }),
    'changeset/operationStatusChanged': fields({ operationId: text, status: text }, { error: errorInfo }),
    'changeset/cleared': fields({}),
    'resourceWatch/changed': fields({ changes: object({ items: list(resourceChange) }) }),
    'automation/set': fields({ automation: object({ resource: text }) }),
    'automationRun/lifecycleChanged': fields({ lifecycle: object({ status: text }) }),
    'automationRun/sessionSet': fields({ session: text }),
    'automationRun/sessionRemoved': fields({ session: text }),
    'automationRun/primarySessionChanged': fields({}, { primarySession: text }),
    'canvas/stateChanged': fields({ canvas: canvasState }),
  });

const schemaByType = new Map<string, z.ZodType>(
  Object.entries({ ...clientActionSchemas, ...hostActionSchemas }),
);

/** A known type is checked, an unknown one is carried along. */
const stateAction = z.looseObject({ type: text }).superRefine((action, context) => {
  const result = schemaByType.get(action.type)?.safeParse(action);
  for (const { message, path } of result?.error?.issues ?? [])
    context.addIssue({ code: 'custom', message, path });
});

const actionEnvelope = object(
  { channel: text, action: stateAction, serverSeq: number },
  { origin: actionOrigin, rejectionReason: text },
);

const reconnectResult = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('replay'), actions: z.array(actionEnvelope), missing: z.array(text) }),
  z.looseObject({ type: z.literal('snapshot'), snapshots: z.array(anything) }),
]);

/** By the names of their wire types. */
export const envelopeTypes = {
  stateAction,
  actionEnvelope,
  reconnectResult,
};
