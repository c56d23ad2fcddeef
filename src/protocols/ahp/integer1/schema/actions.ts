// Schemas of the actions that a version 1 client may dispatch.
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
  text,
} from '../../shapes.ts';
import { chatInputAnswer, chatInputResponseKind, stringOrMarkdown } from '../../v1_0/schema/content.ts';
import { toolDefinition } from '../../v1_0/schema/tools.ts';
import {
  activeClient,
  modelSelection,
  terminalClaim,
  toolCallResult,
  toolResultContent,
  userMessage,
} from './content.ts';

const session = text;
const turn = { session, turnId: text };
const toolCall = { ...turn, toolCallId: text };
const meta = { _meta: anything };
const terminal = text;
const pendingKind = z.enum(['steering', 'queued']);

const decision = { type: z.literal('session/toolCallConfirmed'), ...toolCall };

const approval = object(
  { ...decision, approved: z.literal(true), confirmed: z.enum(['not-needed', 'user-action', 'setting']) },
  { ...meta, editedToolInput: text, selectedOptionId: text },
);

const denial = object(
  { ...decision, approved: z.literal(false), reason: z.enum(['denied', 'skipped']) },
  { ...meta, userSuggestion: userMessage, reasonMessage: stringOrMarkdown, selectedOptionId: text },
);

export const clientActionSchemas = {
  ...actionSchemas({
    'root/configChanged': fields({ config: anything }, { replace: flag }),
    'session/turnStarted': fields({ ...turn, userMessage }, { queuedMessageId: text }),
    'session/turnCancelled': fields(turn),
    // A null must not be read as absent here: absent clears the whole history.
    'session/truncated': fields({ session }, {}, { turnId: text }),
    'session/toolCallComplete': fields(
      { ...toolCall, result: toolCallResult },
      { ...meta, requiresResultConfirmation: flag },
    ),
    'session/toolCallResultConfirmed': fields({ ...toolCall, approved: flag }, meta),
    'session/toolCallContentChanged': fields({ ...toolCall, content: list(toolResultContent) }, meta),
    'session/pendingMessageSet': fields({ session, kind: pendingKind, id: text, userMessage }),
    'session/pendingMessageRemoved': fields({ session, kind: pendingKind, id: text }),
    'session/queuedMessagesReordered': fields({ session, order: list(text) }),
    'session/inputAnswerChanged': fields(
      { session, requestId: text, questionId: text },
      { answer: chatInputAnswer },
    ),
    'session/inputCompleted': fields(
      { session, requestId: text, response: chatInputResponseKind },
      { answers: dictionary(chatInputAnswer) },
    ),
    'session/titleChanged': fields({ session, title: text }),
    'session/modelChanged': fields({ session, model: modelSelection }),
    'session/isReadChanged': fields({ session, isRead: flag }),
    'session/isArchivedChanged': fields({ session, isArchived: flag }),
    'session/configChanged': fields({ session, config: anything }, { replace: flag }),
    'session/activeClientChanged': fields({ session }, { activeClient }),
    'session/activeClientToolsChanged': fields({ session, tools: list(toolDefinition) }),
    'session/customizationToggled': fields({ session, uri: text, enabled: flag }),
    'terminal/input': fields({ terminal, data: text }),
    'terminal/resized': fields({ terminal, cols: number, rows: number }),
    'terminal/claimed': fields({ terminal, claim: terminalClaim }),
    'terminal/titleChanged': fields({ terminal, title: text }),
    'terminal/cleared': fields({ terminal }),
  }),
  'session/toolCallConfirmed': z.union([approval, denial]),
};
