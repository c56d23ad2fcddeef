// Reads session/update: every variant we know by its own schema; anything else is `unknown`.
import * as z from 'zod';
import { goodItems, meta, orNothing } from './lenient.ts';
import { isRecord } from '../../../base/isRecord.ts';
import { configOptions } from './settingsSchema.ts';
import { anyContent, toolCall } from './toolCallSchema.ts';

const chunk = { messageId: orNothing(z.string()), content: anyContent, _meta: meta };

const planEntry = z.object({
  content: z.string(),
  priority: z.enum(['high', 'medium', 'low']).catch('medium'),
  status: z.enum(['pending', 'in_progress', 'completed']).catch('pending'),
});

const command = z.object({
  name: z.string(),
  description: z.string().catch(''),
  input: orNothing(z.object({ hint: orNothing(z.string()) })),
});

const variants = {
  user_message_chunk: z.object({ sessionUpdate: z.literal('user_message_chunk'), ...chunk }),
  agent_message_chunk: z.object({ sessionUpdate: z.literal('agent_message_chunk'), ...chunk }),
  agent_thought_chunk: z.object({ sessionUpdate: z.literal('agent_thought_chunk'), ...chunk }),
  tool_call: z.object({ sessionUpdate: z.literal('tool_call'), ...toolCall.shape }),
  tool_call_update: z.object({ sessionUpdate: z.literal('tool_call_update'), ...toolCall.shape }),
  plan: z.object({ sessionUpdate: z.literal('plan'), entries: goodItems(planEntry), _meta: meta }),
  available_commands_update: z.object({
    sessionUpdate: z.literal('available_commands_update'),
    availableCommands: goodItems(command),
    _meta: meta,
  }),
  current_mode_update: z.object({
    sessionUpdate: z.literal('current_mode_update'),
    currentModeId: z.string(),
    _meta: meta,
  }),
  config_option_update: z.object({
    sessionUpdate: z.literal('config_option_update'),
    configOptions,
    _meta: meta,
  }),
  session_info_update: z.object({
    sessionUpdate: z.literal('session_info_update'),
    title: orNothing(z.string()),
    updatedAt: orNothing(z.string()),
    _meta: meta,
  }),
  usage_update: z.object({
    sessionUpdate: z.literal('usage_update'),
    used: z.number(),
    size: z.number(),
    cost: orNothing(z.object({ amount: z.number(), currency: z.string() })),
    _meta: meta,
  }),
  notice: z.object({
    sessionUpdate: z.literal('notice'),
    severity: z.string().catch('info'),
    title: z.string(),
    description: orNothing(z.string()),
    _meta: meta,
  }),
  compaction_update: z.object({
    sessionUpdate: z.literal('compaction_update'),
    compactionId: z.string(),
    status: z.string(),
    summary: orNothing(z.array(anyContent)),
    error: orNothing(z.string()),
    _meta: meta,
  }),
  compaction_summary_chunk: z.object({
    sessionUpdate: z.literal('compaction_summary_chunk'),
    compactionId: z.string(),
    content: anyContent,
    _meta: meta,
  }),
} as const;

export type KnownUpdate = {
  readonly [K in keyof typeof variants]: z.output<(typeof variants)[K]>;
}[keyof typeof variants];

export interface UnknownUpdate {
  readonly sessionUpdate: 'unknown';
}

export type ReadUpdate = KnownUpdate | UnknownUpdate;

export type ReadChunk = Extract<KnownUpdate, { readonly messageId?: unknown }>;

/** The update of a session/update notification; undefined where there is none. */
export function readUpdate(value: unknown): ReadUpdate | undefined {
  if (!isRecord(value)) return undefined;
  const { sessionUpdate: name, content } = value;
  if (typeof name !== 'string') return undefined;
  return plainText(value, name, content) ?? checked(value, name);
}

/** By far the most updates are a piece of text and nothing else; they are not worth a schema. */
function plainText(
  value: { readonly messageId?: unknown },
  name: string,
  content: unknown,
): ReadUpdate | undefined {
  if (name !== 'agent_message_chunk' && name !== 'agent_thought_chunk') return undefined;
  if (
    !isRecord(content) ||
    content['type'] !== 'text' ||
    typeof content['text'] !== 'string' ||
    '_meta' in value
  )
    return undefined;
  const { messageId } = value;
  return {
    sessionUpdate: name,
    content: { type: 'text', text: content['text'] },
    ...(typeof messageId === 'string' ? { messageId } : {}),
  };
}

function checked(value: { readonly [key: string]: unknown }, name: string): ReadUpdate {
  const known = Object.hasOwn(variants, name) ? readAs(name, value) : undefined;
  return known ?? { sessionUpdate: 'unknown' };
}

function readAs(name: string, value: unknown): KnownUpdate | undefined {
  const read = (variants as { readonly [name: string]: z.ZodType<KnownUpdate> })[name]?.safeParse(value);
  return read?.success ? read.data : undefined;
}
