// The events of a session as they are checked when they come from a file. Kept in step with the
// model by the compiler: what the model has and a schema lacks would be lost without a word.
import * as z from 'zod';
import { autonomyLevels, noteOwners, outsideReasons } from '../../model/event.ts';
import type { Event, EventKind } from '../../model/event.ts';

const id = z.string().min(1).max(256);
const editRef = z.object({ turn: id, tool: id, index: z.number() });
const inChat = { chat: id };
const inTurn = { ...inChat, turn: id };
const ofTool = { ...inTurn, tool: id };
const toolKind = z.enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other']);
const named = z.record(z.string(), z.json());

export const pastOrigin = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('client'),
    door: z.string(),
    client: z.string(),
    name: z.string().optional(),
    device: z.string().optional(),
    most: z.enum(autonomyLevels).optional(),
    mark: z.number().optional(),
  }),
  z.object({ kind: z.literal('agent'), agent: z.string() }),
  z.object({ kind: z.literal('host') }),
]);

const attachment = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file'),
    path: z.string(),
    lines: z.object({ start: z.number(), end: z.number() }).optional(),
  }),
  z.object({ type: z.literal('directory'), path: z.string() }),
  z.object({ type: z.literal('cursor'), path: z.string(), line: z.number(), character: z.number() }),
  z.object({
    type: z.literal('text'),
    label: z.string(),
    text: z.string(),
    uri: z.string().optional(),
    isCommand: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() }),
  z.object({ type: z.literal('audio'), mediaType: z.string(), data: z.string() }),
  z.object({
    type: z.literal('link'),
    uri: z.string(),
    name: z.string().optional(),
    mediaType: z.string().optional(),
  }),
]);

const draft = z.object({
  text: z.string(),
  attachments: z.array(attachment).optional(),
  model: z.string().optional(),
  from: z.literal('agent').optional(),
  extensions: named.optional(),
  details: z.json().optional(),
});

const message = draft.extend({ id });

const content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() }),
  z.object({ type: z.literal('blob'), mediaType: z.string(), data: z.string() }),
  z.object({
    type: z.literal('edit'),
    path: z.string(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    observed: z.literal(true).optional(),
    unattributed: z.literal(true).optional(),
    mode: z.number().optional(),
    modeAfter: z.number().optional(),
    modeGuessed: z.literal(true).optional(),
    folder: z.string().optional(),
  }),
  z.object({ type: z.literal('untracked'), path: z.string(), why: z.string() }),
  z.object({ type: z.literal('terminal'), terminal: z.string(), title: z.string() }),
  z.object({
    type: z.literal('chat'),
    chat: id,
    title: z.string(),
    agent: z.string().optional(),
    description: z.string().optional(),
    maxSteps: z.number().optional(),
  }),
  z.object({
    type: z.literal('link'),
    uri: z.string(),
    name: z.string().optional(),
    mediaType: z.string().optional(),
  }),
  z.object({ type: z.literal('data'), value: z.json() }),
]);

const contents = z.array(content);

const sandboxUse = z.discriminatedUnion('confined', [
  z.object({ confined: z.literal(true), network: z.enum(['off', 'ask', 'on']) }),
  z.object({ confined: z.literal(false), because: z.enum(outsideReasons).optional() }),
]);

const basis = z.discriminatedUnion('how', [
  z.object({ how: z.literal('rule'), rule: z.string() }),
  z.object({ how: z.literal('ask'), ask: id, option: z.string() }),
  z.object({ how: z.literal('agent') }),
]);

const returned = {
  content: contents,
  raw: z.json().optional(),
  structured: z.json().optional(),
  details: z.json().optional(),
  timeLimit: z.number().optional(),
};
const done = z.object({ status: z.literal('done'), ...returned });
const failed = z.object({ status: z.literal('failed'), error: z.string(), ...returned });
const denied = z.object({
  status: z.literal('denied'),
  reason: z.string(),
  rule: z.string().optional(),
  hook: z.string().optional(),
  ask: id.optional(),
});
const runResult = z.discriminatedUnion('status', [done, failed]);
const result = z.discriminatedUnion('status', [done, failed, denied]);

const choices = z.array(
  z.object({
    id: z.string(),
    label: z.string(),
    description: z.string().optional(),
    needs: z.literal('control').optional(),
  }),
);

const question = z.object({
  id: z.string(),
  message: z.string(),
  title: z.string().optional(),
  required: z.boolean().optional(),
  answer: z.union([
    z.object({ type: z.enum(['text', 'number', 'integer', 'boolean']) }),
    z.object({ type: z.enum(['one', 'many']), choices, freeform: z.boolean().optional() }),
  ]),
});

const remembered = z.object({
  tool: z.string(),
  match: z.string().optional(),
  command: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
  args: z.record(z.string(), z.string()).optional(),
  host: z.string().optional(),
  definition: z.string().optional(),
});

const ask = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('approval'),
    id,
    tool: id,
    title: z.string(),
    reason: z.string().optional(),
    editable: z.boolean().optional(),
    remember: z.array(remembered).optional(),
    sandbox: sandboxUse.optional(),
    options: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        effect: z.enum(['allow', 'allow-session', 'allow-folder', 'allow-always', 'deny', 'deny-always']),
        rule: z.string().optional(),
        says: z.string().optional(),
      }),
    ),
  }),
  z.object({
    kind: z.literal('question'),
    id,
    tool: id.optional(),
    message: z.string(),
    questions: z.array(question),
    needs: z.enum(['approve', 'control']).optional(),
    about: z.enum(['trust', 'network', 'leaving']).optional(),
    remember: z.array(remembered).optional(),
  }),
  z.object({ kind: z.literal('signin'), id, message: z.string(), url: z.string() }),
]);

const answer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('option'),
    option: z.string(),
    reason: z.string().optional(),
    input: z.json().optional(),
    title: z.string().optional(),
    stop: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('fields'), values: named }),
  z.object({ kind: z.literal('declined'), reason: z.string().optional() }),
  z.object({ kind: z.literal('withdrawn'), why: z.string() }),
]);

const problem = z.object({ code: z.string(), message: z.string() });
const retry = z.object({
  problem,
  attempt: z.number(),
  of: z.number(),
  wait: z.number(),
  asked: z.literal(true).optional(),
});

const outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('completed'), stop: z.enum(['length', 'steps', 'refusal']).optional() }),
  z.object({ kind: z.literal('cancelled') }),
  z.object({ kind: z.literal('failed'), problem }),
  z.object({ kind: z.literal('interrupted') }),
]);

const chatOrigin = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user') }),
  z.object({ type: z.literal('fork'), chat: id, turn: id }),
  z.object({
    type: z.literal('side'),
    chat: id,
    turn: id,
    about: z.object({ text: z.string(), item: id.optional() }).optional(),
  }),
  z.object({ type: z.literal('tool'), chat: id, tool: id }),
]);

const settings = {
  title: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  autonomy: z.enum(autonomyLevels).optional(),
  options: named.optional(),
  clientOptions: named.optional(),
};

const rule = z.object({
  id: z.string(),
  effect: z.enum(['allow', 'ask', 'deny']),
  tool: z.string(),
  match: z.string().optional(),
  command: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
  args: z.record(z.string(), z.string()).optional(),
  host: z.string().optional(),
  definition: z.string().optional(),
  folders: z.array(z.string()).optional(),
  made: z.object({ by: pastOrigin, at: z.number(), session: id.optional() }).optional(),
  source: z.string().optional(),
  hook: z.string().optional(),
  ends: z.literal(true).optional(),
});

const usage = z.object({
  input: z.number().optional(),
  output: z.number().optional(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  model: z.string().optional(),
  cost: z.number().optional(),
  searches: z.number().optional(),
  context: z.object({ used: z.number(), size: z.number() }).optional(),
});

const picture = z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() });
const resolvedPart = z.union([z.string(), picture]);
const resolvedInput = z.object({
  text: z.string().optional(),
  attachments: z.array(resolvedPart.nullable()),
  added: z.array(resolvedPart),
});
const systemPrompt = z.object({ mode: z.enum(['append', 'override']), text: z.string() });

const sessionClient = z.object({
  id,
  name: z.string().optional(),
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string().optional(),
      input: z.json().optional(),
      output: z.json().optional(),
      hints: z.json().optional(),
      extensions: named.optional(),
    }),
  ),
  plugins: z
    .array(
      z.object({
        id: z.string(),
        uri: z.string(),
        name: z.string(),
        revision: z.string().optional(),
        extensions: named.optional(),
      }),
    )
    .optional(),
});

const events = {
  'session.created': {
    session: id,
    agent: z.string(),
    roots: z.array(z.string()),
    autonomyFrom: z.literal('settings').optional(),
    ...settings,
  },
  'session.changed': {
    changes: z.object({
      ...settings,
      agent: z.string().optional(),
      roots: z.array(z.string()).optional(),
      archived: z.boolean().optional(),
      read: z.boolean().optional(),
      rules: z.array(rule).optional(),
    }),
  },
  'agent.bound': { ...inChat, agent: z.string(), ref: z.string() },
  'chat.created': { ...inChat, origin: chatOrigin, title: z.string().optional() },
  'chat.changed': {
    ...inChat,
    title: z.string().optional(),
    read: z.boolean().optional(),
    archived: z.boolean().optional(),
    stopping: z.string().nullable().optional(),
  },
  'chats.ordered': { order: z.array(id) },
  'chat.removed': inChat,
  'chat.truncated': { ...inChat, after: id.optional() },
  'chat.compacted': {
    ...inChat,
    summary: z.string(),
    after: id,
    item: id.optional(),
    trigger: z.enum(['command', 'automatic']).optional(),
  },
  'message.queued': { ...inChat, lane: z.enum(['queue', 'steer']), message },
  'message.removed': { ...inChat, message: id },
  'message.reordered': { ...inChat, order: z.array(id) },
  'message.steered': { ...inTurn, message },
  'turn.started': { ...inTurn, message, queued: z.boolean() },
  'turn.ended': { ...inTurn, outcome },
  'turn.resumed': inTurn,
  'usage.reported': { ...inTurn, usage },
  'text.added': {
    ...inTurn,
    item: id,
    channel: z.enum(['answer', 'reasoning']),
    text: z.string(),
    sources: z.array(z.object({ title: z.string(), url: z.string() })).optional(),
    meta: z.json().optional(),
  },
  'image.added': { ...inTurn, item: id, mediaType: z.string(), data: z.string(), meta: z.json().optional() },
  'plan.set': {
    ...inTurn,
    entries: z.array(
      z.object({
        text: z.string(),
        status: z.enum(['pending', 'active', 'done']),
        priority: z.enum(['high', 'medium', 'low']),
        id: z.number().optional(),
        description: z.string().optional(),
        blockedBy: z.array(z.number()).optional(),
        doing: z.string().optional(),
      }),
    ),
  },
  'notice.added': {
    ...inTurn,
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    waits: z.literal(true).optional(),
    retry: retry.optional(),
    stoppedBy: z.string().optional(),
  },
  'tool.started': {
    ...ofTool,
    name: z.string(),
    title: z.string(),
    toolKind,
    source: z.enum(['native', 'mcp', 'agent', 'client', 'provider', 'nobody']),
    server: z.string().optional(),
  },
  'tool.input': { ...ofTool, text: z.string() },
  'tool.ready': {
    ...ofTool,
    input: z.json(),
    title: z.string(),
    toolKind,
    preview: contents.optional(),
    meta: z.json().optional(),
    locations: z.array(z.object({ path: z.string(), line: z.number().optional() })).optional(),
  },
  'tool.running': {
    ...ofTool,
    basis,
    input: z.json().optional(),
    title: z.string().optional(),
    sandbox: sandboxUse.optional(),
  },
  'tool.output': {
    ...ofTool,
    output: z.union([z.object({ append: z.string() }), z.object({ replace: contents })]),
  },
  'tool.ended': { ...ofTool, result, meta: z.json().optional() },
  'ask.opened': { ...inTurn, ask },
  'ask.answered': { ...inTurn, ask: id, answer },
  'turn.prepared': { turn: id, stage: z.enum(['opening', 'message', 'agent']), early: z.number() },
  'tool.held': { ...ofTool, result: runResult },
  'hook.ran': {
    ...inChat,
    id: z.string(),
    name: z.string(),
    call: id.optional(),
    result: z.object({ status: z.number(), output: z.string(), error: z.string().nullable() }).optional(),
  },
  'job.written': {
    ...inChat,
    job: z.string(),
    tool: id,
    characters: z.number(),
    ended: z.literal(true).optional(),
  },
  'edits.reverted': {
    edits: z.array(editRef),
    amended: z.array(z.object({ edit: editRef, text: z.string() })).optional(),
  },
  'edits.redone': { edits: z.array(editRef) },
  'files.restored': {
    ...inChat,
    after: id.nullable(),
    restored: z.array(z.string()),
    left: z.array(z.string()),
    redone: z.literal(true).optional(),
  },
  'turns.reverted': { ...inChat, turns: z.array(id) },
  'images.refused': { ...inChat, upTo: z.record(z.string(), id) },
  'prompt.pinned': {
    ...inChat,
    prompt: z
      .object({ text: z.string(), madeFor: z.string(), changeTold: z.literal(true).optional() })
      .nullable(),
  },
  'input.resolved': { message: id, input: resolvedInput },
  'session.instructed': { extensions: named.optional(), prompt: systemPrompt.optional() },
  'features.disabled': { ids: z.array(z.string()) },
  'draft.set': { ...inChat, draft: draft.nullable() },
  'client.joined': { client: sessionClient },
  'client.left': { client: id },
  note: { owner: z.enum(noteOwners), key: z.string(), value: z.json() },
  retired: { was: z.string() },
} satisfies {
  readonly [K in EventKind]: {
    readonly [F in Exclude<keyof Extract<Event, { readonly kind: K }>, 'kind'>]-?: z.ZodType;
  };
};

const [first, ...others] = Object.entries(events).map(([kind, fields]) =>
  z.object({ kind: z.literal(kind), ...fields }),
);
if (!first) throw new Error('There are no events.');

export const pastEvent = z.discriminatedUnion('kind', [first, ...others]) satisfies IfNever<
  Unchecked,
  z.ZodType
>;

type Fields<K extends EventKind> = Omit<Extract<Event, { readonly kind: K }>, 'kind'>;
type Checked<K extends EventKind> = z.infer<z.ZodObject<(typeof events)[K]>>;

/** The members of the model that no schema names, and the kinds with a value that their schema refuses. */
type Unchecked = {
  [K in EventKind]:
    | (Fields<K> extends Readable<Checked<K>> ? never : K)
    | (Members<Fields<K>> extends infer M ? Exclude<M, Members<Checked<K>>> : never);
}[EventKind];

type IfNever<T, Then> = [T] extends [never] ? Then : T;

/** The names of all members at any depth, as `ask.questions.id`; those of opaque values are not known. */
type Members<T> = [null | string] extends [T] ? never : MembersOfEach<T>;
type MembersOfEach<T> = T extends readonly (infer E)[]
  ? Members<E>
  : T extends object
    ? { [K in keyof T & string]-?: string extends K ? never : K | `${K}.${Members<T[K]>}` }[keyof T & string]
    : never;

type Readable<T> = T extends readonly (infer E)[]
  ? readonly Readable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Readable<T[K]> }
    : T;
