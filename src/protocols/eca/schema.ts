// What an ECA client may send, by method. Unknown members are dropped, null counts as absent;
// keys are folded before.
import * as z from 'zod';
import { capability, flag, list, maybe, nothing, range, size, text } from './fields.ts';
import { foldKeys } from './keys.ts';
import { serviceNotifications, serviceRequests } from './services.ts';

const folder = z.object({ uri: text, name: maybe(text) });

/** A context of a kind we do not know is skipped, as clients add kinds faster than servers. */
const context = z
  .union([
    z.object({
      type: z.literal('file'),
      path: text,
      linesRange: maybe(z.object({ start: z.number(), end: z.number() })),
    }),
    z.object({ type: z.literal('directory'), path: text }),
    z.object({ type: z.literal('cursor'), path: text, position: range }),
    z.object({ type: z.literal('web'), url: text }),
    z.object({ type: z.literal('repoMap') }),
    z.object({ type: z.literal('image'), mediaType: text, base64: text }),
    z.object({ type: z.literal('text'), label: text, content: text }),
    z.object({ type: z.literal('mcpResource'), uri: text, name: maybe(text), mimeType: maybe(text) }),
  ])
  .or(z.unknown().transform(() => undefined));

const chat = z.object({ chatId: text });
const page = { limit: size, before: maybe(text), after: maybe(text) };
const query = z.object({ chatId: maybe(text), query: maybe(text) });

const assistant = z.object({
  chatCapabilities: maybe(z.object({ askQuestion: capability })),
  editor: maybe(z.object({ diagnostics: capability, definition: capability, references: capability })),
  /** Only clients of the first draft have these. */
  doc: maybe(z.unknown()),
  edit: maybe(z.unknown()),
  fix: maybe(z.unknown()),
});

export const requests = {
  ...serviceRequests,
  initialize: z.object({
    processId: maybe(z.number().int().positive()),
    clientInfo: maybe(z.object({ name: maybe(text), version: maybe(text) })),
    initializationOptions: maybe(z.record(z.string(), z.unknown())),
    capabilities: maybe(z.object({ codeAssistant: maybe(assistant) })),
    workspaceFolders: list(folder),
  }),
  shutdown: nothing,
  'chat/prompt': z.object({
    chatId: maybe(text),
    message: text,
    model: maybe(text),
    agent: maybe(text),
    behavior: maybe(text),
    variant: maybe(text),
    trust: flag,
    contexts: list(context),
  }),
  'chat/list': z.object({ limit: size, sortBy: maybe(text) }),
  'chat/open': z.object({ chatId: text, ...page }),
  'chat/history': z.object({ chatId: text, ...page }),
  'chat/delete': chat,
  'chat/clear': z.object({ chatId: text, messages: flag }),
  'chat/update': z.object({ chatId: text, title: maybe(text), trust: flag }),
  'chat/rollback': z.object({ chatId: text, contentId: text, include: maybe(z.array(text)) }),
  'chat/addFlag': z.object({ chatId: text, contentId: text, text: maybe(text) }),
  'chat/fork': z.object({ chatId: text, contentId: text }),
  'chat/removeFlag': z.object({ chatId: text, contentId: text }),
  'chat/queryContext': z.object({ chatId: maybe(text), query: maybe(text), contexts: list(context) }),
  'chat/queryFiles': query,
  'chat/queryCommands': query,
} as const;

export const notifications = {
  ...serviceNotifications,
  initialized: nothing,
  exit: nothing,
  'workspace/didChangeWorkspaceFolders': z.object({
    event: z.object({ added: list(folder), removed: list(folder) }),
  }),
  'chat/toolCallApprove': z.object({ chatId: text, toolCallId: text, save: maybe(text) }),
  'chat/toolCallReject': z.object({ chatId: text, toolCallId: text, reason: maybe(text) }),
  'chat/promptStop': chat,
  'chat/promptSteer': z.object({ chatId: text, message: text }),
  'chat/promptSteerRemove': chat,
  'chat/selectedModelChanged': z.object({ chatId: maybe(text), model: text, variant: maybe(text) }),
  'chat/selectedAgentChanged': z.object({ chatId: maybe(text), agent: text }),
  'chat/selectedBehaviorChanged': z.object({ chatId: maybe(text), behavior: text }),
} as const;

/**
 * The answer to `chat/askQuestion`. Some clients answer a failed handler with another shape, which fits
 * too and says nothing.
 */
export const questionAnswer = z.object({ answer: maybe(text), cancelled: flag });

export type RequestMethod = keyof typeof requests;
export type NotificationMethod = keyof typeof notifications;
export type RequestParams<M extends RequestMethod> = z.output<(typeof requests)[M]>;
export type NotificationParams<M extends NotificationMethod> = z.output<(typeof notifications)[M]>;
export type Context = z.output<typeof context>;

export type ReadResult<T> = { readonly value: T } | { readonly problem: string };

/**
 * Reads params that may be missing, null or oddly spelled; a problem is one sentence that names the member.
 */
export function read<T extends z.ZodType>(schema: T, params: unknown): ReadResult<z.output<T>> {
  const result = schema.safeParse(foldKeys(params ?? {}));
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  return {
    problem: `Invalid params: ${where === '' ? '' : `${where}: `}${issue?.message ?? 'not understood'}`,
  };
}
