// What clients of the first generation can read: their library (0.4) rejects every update that it does not
// know, and every raw value that is not an object.
import { isRecord } from '../../../base/isRecord.ts';
import type { ClientCapabilities } from '../../../protocols/acp/v1/agentSchema.ts';
import type { SessionUpdate } from '../../../protocols/acp/v1/messages.ts';
import { version1 } from './wireVersion.ts';
import type { WireVersion } from './wireVersion.ts';

export const firstGeneration: WireVersion = {
  ...version1,
  update: forFirstGeneration,
  permission: (request) => ({ ...request, toolCall: withRawObjects(request.toolCall) }),
};

/**
 * Clients of that time have no `clientInfo`, and no capability besides files and terminals.
 */
export function isFirstGeneration(
  info: object | undefined,
  { fs: _, terminal: __, _meta: ___, ...later }: ClientCapabilities & { readonly _meta?: unknown },
): boolean {
  return info === undefined && Object.values(later).every((value) => !isOffered(value));
}

/** A missing capability may have been read as `false` or as a record of these. */
function isOffered(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isRecord(value)) return value !== undefined && value !== null && value !== false;
  return Object.keys(value).length === 0 || Object.values(value).some(isOffered);
}

/** Undefined if the client cannot read the update. */
function forFirstGeneration(update: SessionUpdate): SessionUpdate | undefined {
  if (!known.has(update.sessionUpdate)) return undefined;
  return update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
    ? withRawObjects(update)
    : update;
}

/** The call itself if its raw values are objects already. */
function withRawObjects<Call extends RawValues>(call: Call): Call {
  const { rawInput, rawOutput } = call;
  if (isReadable(rawInput) && isReadable(rawOutput)) return call;
  return {
    ...call,
    ...(isReadable(rawInput) ? {} : { rawInput: { value: rawInput } }),
    ...(isReadable(rawOutput) ? {} : { rawOutput: { value: rawOutput } }),
  };
}

interface RawValues {
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

function isReadable(raw: unknown): boolean {
  return raw === undefined || (isRecord(raw) && !Array.isArray(raw));
}

const known: ReadonlySet<string> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'available_commands_update',
  'current_mode_update',
]);
