// Schemas of the actions that a client of the newest dialect may dispatch.
import * as z from 'zod';
import {
  actionSchemas,
  anything,
  dictionary,
  fields,
  flag,
  list,
  number,
  object,
  tagged,
  text,
  openWord,
} from '../../shapes.ts';
import {
  agentSelection,
  chatInputAnswer,
  chatInputResponseKind,
  message,
  modelSelection,
  stringOrMarkdown,
  textRange,
} from './content.ts';
import { enablementEntry, sessionActiveClient, toolCallResult, toolResultContent } from './tools.ts';

const id = text;
const directory = text;
const meta = { _meta: anything };
const turn = { turnId: text };
const toolCall = { ...turn, toolCallId: text };
const pendingKind = z.enum(['steering', 'queued']);

const decision = { type: z.literal('chat/toolCallConfirmed'), ...toolCall };

const approval = object(
  { ...decision, approved: z.literal(true), confirmed: z.enum(['not-needed', 'user-action', 'setting']) },
  { ...meta, editedToolInput: text, selectedOptionId: text },
);

const denial = object(
  { ...decision, approved: z.literal(false), reason: z.enum(['denied', 'skipped']) },
  { ...meta, userSuggestion: message, reasonMessage: stringOrMarkdown, selectedOptionId: text },
);

export const terminalClaim = tagged('kind', {
  client: fields({ clientId: text }),
  session: fields({ session: text, chat: text }, { turnId: text, toolCallId: text }),
});

const annotationOrigin = object({ session: text }, { chat: text, turnId: text });

const annotationEntry = object({ id, text: stringOrMarkdown }, meta);

const annotation = object(
  { id, origin: annotationOrigin, resource: text, resolved: flag, entries: list(annotationEntry) },
  { ...meta, range: textRange },
);

const automationTriggerEvent = object({ id, title: text }, { description: text });

const automationTrigger = tagged('kind', {
  schedule: fields(
    { id, schedule: object({ expression: text, timeZone: text }) },
    { misfirePolicy: openWord<'skip' | 'runOnce'>() },
  ),
  event: fields(
    { id, type: text, title: text, events: list(automationTriggerEvent) },
    { description: text, config: anything },
  ),
});

const automationSessionTemplate = object(
  {},
  {
    provider: text,
    model: modelSelection,
    agent: agentSelection,
    workingDirectories: list(text),
    config: anything,
  },
);

const definition = {
  title: text,
  message,
  session: automationSessionTemplate,
  enabled: flag,
  triggers: list(automationTrigger),
};

const automationDefinition = object(definition, meta);

/** By the names of their wire types. */
export const actionTypes = {
  terminalClaim,
  annotationOrigin,
  annotationEntry,
  annotation,
  automationTriggerEvent,
  automationTrigger,
  automationSessionTemplate,
  automationDefinition,
};

export const clientActionSchemas = {
  ...actionSchemas({
    'root/configChanged': fields({ config: anything }, { replace: flag }),
    'session/titleChanged': fields({ title: text }),
    'session/isReadChanged': fields({ isRead: flag }),
    'session/isArchivedChanged': fields({ isArchived: flag }),
    'session/configChanged': fields({ config: anything }, { replace: flag }),
    'session/activeClientSet': fields({ activeClient: sessionActiveClient }),
    'session/activeClientRemoved': fields({ clientId: text }),
    'session/workingDirectorySet': fields({ directory }),
    'session/workingDirectoryRemoved': fields({ directory }),
    'session/workingDirectoryReplaced': fields({ directory, replacement: text }),
    'session/customizationToggled': fields({ id, enablement: list(enablementEntry) }),
    'session/mcpServerStartRequested': fields({ id }),
    'session/mcpServerStopRequested': fields({ id }),
    'session/mcpServerBackgroundRequested': fields({ id }),
    'chat/turnStarted': fields({ ...turn, startedAt: text, message }, { ...meta, queuedMessageId: text }),
    'chat/turnCancelled': fields({ ...turn, duration: number }, meta),
    'chat/turnResume': fields(turn, meta),
    'chat/toolCallComplete': fields(
      { ...toolCall, result: toolCallResult },
      { ...meta, requiresResultConfirmation: flag },
    ),
    'chat/toolCallResultConfirmed': fields({ ...toolCall, approved: flag }, meta),
    'chat/toolCallContentChanged': fields({ ...toolCall, content: list(toolResultContent) }, meta),
    // A null must not be read as absent here: absent clears the whole history.
    'chat/truncated': fields({}, {}, turn),
    'chat/pendingMessageSet': fields({ kind: pendingKind, id, message }),
    'chat/pendingMessageRemoved': fields({ kind: pendingKind, id }),
    'chat/queuedMessagesReordered': fields({ order: list(text) }),
    'chat/draftChanged': fields({}, { draft: message }),
    'chat/inputAnswerChanged': fields({ requestId: text, questionId: text }, { answer: chatInputAnswer }),
    'chat/inputCompleted': fields(
      { requestId: text, response: chatInputResponseKind },
      { answers: dictionary(chatInputAnswer) },
    ),
    'chat/workingDirectorySet': fields({ directory }),
    'chat/workingDirectoryRemoved': fields({ directory }),
    'chat/isReadChanged': fields({ isRead: flag }),
    'chat/isArchivedChanged': fields({ isArchived: flag }),
    'terminal/input': fields({ data: text }),
    'terminal/resized': fields({ cols: number, rows: number }),
    'terminal/claimed': fields({ claim: terminalClaim }),
    'terminal/titleChanged': fields({ title: text }),
    'terminal/cleared': fields({}),
    'changeset/filesReviewChanged': fields({ files: list(text), reviewed: flag }),
    'annotations/set': fields({ annotation }),
    'annotations/updated': fields(
      { annotationId: text },
      { origin: annotationOrigin, resource: text, range: textRange, resolved: flag },
    ),
    'annotations/removed': fields({ annotationId: text }),
    'annotations/entrySet': fields({ annotationId: text, entry: annotationEntry }),
    'annotations/entryRemoved': fields({ annotationId: text, entryId: text }),
    'automation/createRequested': fields({ resource: text, definition: automationDefinition }),
    'automation/updateRequested': fields({ resource: text, changes: object({}, { ...definition, ...meta }) }),
    'automation/removed': fields({ resource: text }),
    'automationRun/cancelRequested': fields({}),
  }),
  'chat/toolCallConfirmed': z.union([approval, denial]),
};
