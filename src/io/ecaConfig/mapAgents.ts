// Converts agents and hooks of an ECA configuration to our settings. Options without a
// counterpart are left out.
import * as z from 'zod';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';
import { approvalsIn, present, deniedTools, ownWords, part, toolCallConfig, toolName } from './parts.ts';
import type { EcaConfig } from './file.ts';

const text = z.string();
const count = z.int().min(1);

/** Null turns compaction off in ECA. Here it waits until a chat does not fit its model any more. */
export const compactPercentage = z
  .int()
  .min(10)
  .max(100)
  .nullable()
  .transform((percent) => percent ?? 100);

const agent = z.object({
  inherit: text.optional(),
  mode: z
    .union([z.enum(['primary', 'subagent', 'all']), z.array(z.enum(['primary', 'subagent']))])
    .optional()
    .catch(undefined),
  description: text.optional(),
  systemPrompt: text.optional(),
  prompts: z.record(text, z.unknown()).optional().catch(undefined),
  defaultModel: text.optional(),
  model: text.optional(),
  variant: text.optional(),
  maxSteps: count.optional().catch(undefined),
  disabledTools: z.array(text).optional(),
  spawnableBy: z.union([text, z.array(text)]).optional(),
  autoCompactPercentage: compactPercentage.optional().catch(undefined),
  toolCall: toolCallConfig.optional().catch(undefined),
  disabled: z.boolean().optional(),
});

type Mode = NonNullable<WrittenSettings['modes']>[string];

/** The older name of an agent is a behavior. */
export function mapModes(config: EcaConfig): WrittenSettings['modes'] {
  const all = {
    ...part(config, 'behavior', z.record(z.string(), z.unknown())),
    ...part(config, 'agent', z.record(z.string(), z.unknown())),
  };
  const read = Object.entries(all).flatMap(([name, value]): [string, Mode][] => {
    const given = agent.safeParse(value);
    return given.success ? [[older[name] ?? name, modeOf(given.data)]] : [];
  });
  const prompt = chatPrompt(config);
  const usual = read.find(([name]) => name === 'code')?.[1];
  if (prompt !== undefined && usual?.prompt === undefined)
    return { ...Object.fromEntries(read), code: { ...usual, prompt } };
  return read.length === 0 ? undefined : Object.fromEntries(read);
}

/** Earlier name of the default agent. */
const older: { readonly [name: string]: string | undefined } = { agent: 'code', build: 'code' };

/** The prompt for agents without their own. */
function chatPrompt(config: EcaConfig): string | undefined {
  return part(config, 'prompts', z.object({ chat: text }))?.chat || undefined;
}

function modeOf({
  mode,
  systemPrompt,
  prompts,
  defaultModel,
  model,
  autoCompactPercentage,
  toolCall: calls,
  disabledTools,
  spawnableBy,
  ...same
}: z.infer<typeof agent>): Mode {
  const denied = [...(disabledTools ?? []), ...deniedTools(calls?.approval ?? {})];
  return present({
    ...same,
    mode: Array.isArray(mode) ? onlyOf(mode) : mode,
    prompt: systemPrompt || part(prompts ?? {}, 'chat', text) || undefined,
    prompts: ownWords(prompts ?? {}),
    model: defaultModel ?? model,
    compactAt: autoCompactPercentage,
    approvals: calls && approvalsIn(calls.approval),
    disabledTools: denied.length > 0 ? denied : undefined,
    spawnableBy: typeof spawnableBy === 'string' ? [spawnableBy] : spawnableBy,
  });
}

/** The only value; a list of both modes is the default. */
function onlyOf<T>(values: readonly T[]): T | undefined {
  return values.length === 1 ? values[0] : undefined;
}

const events = {
  sessionStart: 'sessionStart',
  sessionEnd: 'sessionEnd',
  chatStart: 'chatStart',
  chatEnd: 'chatEnd',
  chatStatusChanged: 'chatStatusChanged',
  subagentStart: 'subagentStart',
  preRequest: 'preRequest',
  prePrompt: 'preRequest',
  postRequest: 'postRequest',
  postPrompt: 'postRequest',
  subagentPostRequest: 'subagentPostRequest',
  preToolCall: 'preToolCall',
  postToolCall: 'postToolCall',
  preCompact: 'preCompact',
  postCompact: 'postCompact',
} as const;

const hook = z.object({
  type: text,
  visible: z.boolean().optional(),
  runOnError: z.boolean().optional(),
  matcher: z
    .union([
      text,
      z.record(z.string(), z.object({ argsMatchers: z.record(z.string(), z.array(text)).optional() })),
    ])
    .optional(),
  actions: z.array(
    z.object({
      type: z.literal('shell'),
      shell: text.optional(),
      file: text.optional(),
      timeout: count.optional(),
    }),
  ),
});

export function mapHooks(config: EcaConfig): WrittenSettings['hooks'] {
  const all = part(config, 'hooks', z.record(z.string(), z.unknown()));
  return (
    all &&
    Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => {
        const read = hook.safeParse(value);
        const on = read.success
          ? Object.entries(events).find(([type]) => type === read.data.type)?.[1]
          : undefined;
        if (!read.success || !on) return [];
        const { visible, matcher, actions, runOnError } = read.data;
        return [
          [
            name,
            present({
              on,
              visible,
              onlyDone: on === 'postToolCall' && runOnError !== true ? true : undefined,
              matcher: matcherOf(matcher),
              actions: actions.map(({ shell, file, timeout }) => present({ command: shell, file, timeout })),
            }),
          ],
        ];
      }),
    )
  );
}

function matcherOf(
  matcher: z.infer<typeof hook>['matcher'],
): NonNullable<WrittenSettings['hooks']>[string]['matcher'] {
  if (matcher === undefined || typeof matcher === 'string') return matcher;
  return Object.fromEntries(
    Object.entries(matcher).map(([tool, { argsMatchers = {} }]) => [toolName(tool), argsMatchers]),
  );
}
