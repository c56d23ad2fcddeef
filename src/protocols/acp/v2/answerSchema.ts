// Reads what an agent of version 2 answers and tells, as far as it differs from version 1.
import * as z from 'zod';
import { goodItems, meta, orElse, orNothing } from '../v1/lenient.ts';

/** A capability that is an object: present means yes. */
const marker = orNothing(z.looseObject({}));

const sessionCapabilities = z.object({
  prompt: orNothing(z.object({ image: marker, audio: marker, embeddedContext: marker })),
  mcp: orNothing(z.object({ stdio: marker, http: marker })),
  delete: marker,
  additionalDirectories: marker,
});

const authMethod = z.looseObject({
  methodId: z.string(),
  env: orNothing(goodItems(z.object({ name: z.string(), value: z.string() }))),
});

/**
 * Agents of version 1 that repeat any number they are asked for are not of version 2: it has another name for
 * what an agent says about itself.
 */
export const initializeAnswer = z.object({
  protocolVersion: z.literal(2),
  info: z.looseObject({ name: z.string() }),
  capabilities: orElse(z.object({ session: orNothing(sessionCapabilities) }), {}),
  authMethods: orElse(goodItems(authMethod), []),
  _meta: meta,
});

/** Of an agent that does not have the version that it was asked for. */
export const unsupportedVersion = -32_022;

export const stateUpdate = z.object({
  state: z.string(),
  stopReason: orNothing(z.string()),
  error: orNothing(z.object({ code: z.int().catch(-32_603), message: z.string().catch('') })),
});

export type StateUpdate = z.output<typeof stateUpdate>;

const change = z.object({
  operation: z.string(),
  path: z.string(),
  oldPath: orNothing(z.string()),
});

export type DiffChange = z.output<typeof change>;

export const diff = z.object({
  type: z.literal('diff'),
  changes: goodItems(change),
  patch: orNothing(z.object({ format: z.string(), text: z.string() })),
});

export const terminalContent = z.object({ type: z.literal('terminal'), terminalId: z.string() });

/** Absent content stays as it was; null clears it. */
export const toolCall = z.looseObject({
  toolCallId: z.string(),
  status: orNothing(z.string()),
  content: z.array(z.unknown()).nullish().catch(undefined),
  locations: z.array(z.unknown()).nullish().catch(undefined),
});

export const toolCallChunk = z.object({ toolCallId: z.string(), content: z.unknown() });

export const message = z.object({
  messageId: z.string(),
  content: z.array(z.unknown()).nullish(),
});

export const terminal = z.object({
  terminalId: z.string(),
  command: orNothing(z.string()),
  output: orNothing(z.object({ data: z.string() })),
  exitStatus: orNothing(z.object({ exitCode: orNothing(z.int()), signal: orNothing(z.string()) })),
});

export const terminalChunk = z.object({ terminalId: z.string(), data: z.string() });

export const planUpdate = z.object({
  plan: z.object({ type: z.string(), planId: z.string(), entries: orElse(z.array(z.unknown()), []) }),
});

export const planRemoved = z.object({ planId: z.string() });

/** About a call, about a command, or about something that only its title describes. */
export const permissionParams = z.looseObject({
  title: z.string().catch('Permission'),
  description: orNothing(z.string()),
  subject: orNothing(
    z.union([
      z.object({ type: z.literal('tool_call'), toolCall }),
      z.object({
        type: z.literal('command'),
        command: z.string(),
        cwd: orNothing(z.string()),
        toolCallId: orNothing(z.string()),
      }),
    ]),
  ),
});
