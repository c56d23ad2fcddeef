// Reads what an agent asks of a client: the params of its requests. Strict where a wrong value
// would change what is done.
import * as z from 'zod';
import { goodItems, listOrEmpty, meta, orNothing } from './lenient.ts';
import { raw } from './raw.ts';
import { toolCall } from './toolCallSchema.ts';

const inSession = { sessionId: z.string(), _meta: meta };

/** Every request and notification of an agent is about a session, but for those about a request of ours. */
export const addressed = z.object({ sessionId: z.string() });

const permissionOption = z.object({
  optionId: z.string(),
  name: z.string().catch(''),
  kind: z.string().catch(''),
});

/** A request we cannot read is still a question that a human can answer. */
export const permissionParams = z.object({
  ...inSession,
  toolCall: toolCall.optional().catch(undefined),
  options: goodItems(permissionOption).catch([]),
});

export type ReadPermissionOption = z.output<typeof permissionOption>;

export const readFileParams = z.object({
  ...inSession,
  path: z.string(),
  line: z.int().min(0).nullish(),
  limit: z.int().min(0).nullish(),
});

export const writeFileParams = z.object({ ...inSession, path: z.string(), content: z.string() });

const variable = z.object({ name: z.string(), value: z.string() });

export const createTerminalParams = z.object({
  ...inSession,
  command: z.string().min(1),
  args: listOrEmpty(z.string()),
  env: listOrEmpty(variable),
  cwd: z.string().nullish(),
  outputByteLimit: z.int().min(0).nullish(),
});

export const terminalParams = z.object({ ...inSession, terminalId: z.string() });

const titled = { title: orNothing(z.string()), description: orNothing(z.string()) };

const enumOption = z.object({
  const: z.string(),
  title: z.string().catch(''),
  description: orNothing(z.string()),
});

const field = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('string'),
    ...titled,
    enum: orNothing(goodItems(z.string())),
    oneOf: orNothing(goodItems(enumOption)),
  }),
  z.object({ type: z.enum(['number', 'integer', 'boolean']), ...titled }),
  z.object({
    type: z.literal('array'),
    ...titled,
    items: z.object({ enum: orNothing(goodItems(z.string())), anyOf: orNothing(goodItems(enumOption)) }),
  }),
]);

export type ElicitationField = z.output<typeof field>;

const scope = {
  sessionId: orNothing(z.string()),
  toolCallId: orNothing(z.string()),
  requestId: raw.optional(),
  _meta: meta,
};

export const elicitationParams = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('form'),
    message: z.string(),
    ...scope,
    requestedSchema: z.object({
      title: orNothing(z.string()),
      properties: z.record(z.string(), field.catch({ type: 'string' })),
      required: orNothing(goodItems(z.string())),
    }),
  }),
  z.object({
    mode: z.literal('url'),
    message: z.string(),
    ...scope,
    elicitationId: z.string(),
    url: z.string(),
  }),
]);

export type ElicitationParams = z.output<typeof elicitationParams>;

export const elicitationComplete = z.object({ elicitationId: z.string() });
