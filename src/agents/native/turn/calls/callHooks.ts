// Runs the hooks around one tool call: they may change its arguments, require approval, refuse it, and change
// the result that the model sees.
import { asFacts } from '../../../../host/hooks/hooks.ts';
import type { HookAnswers, HookReason } from '../../../../host/hooks/hooks.ts';
import type { Json, Rule, ToolResult } from '../../../../model/event.ts';
import type { Call } from '../answerRecorder.ts';
import type { ClientConventions } from '../../prompt/clientConventions.ts';
import { resultText } from '../modelMessages.ts';
import type { Tool } from '../../tools/tool.ts';
import type { TurnHooks } from '../../../../host/hooks/turnHooks.ts';

interface HookedCall {
  readonly call: Call;
  readonly tool: Tool | undefined;
  readonly input: Json | undefined;
  readonly conventions: ClientConventions;
  /** Whether the hooks before the call have run. */
  readonly isRepeated: boolean;
  /** What policy says about the call; evaluated only if a hook needs it. */
  readonly judged: (input: Json) => Promise<'allow' | 'ask' | 'deny'>;
}

export interface CallHooks {
  /** The arguments after the hooks; undefined if they are not JSON. */
  readonly input: Json | undefined;
  /** The decisions of the hooks as policy rules. */
  readonly rules: readonly Rule[];
  /** The hook that ends the turn with this call, and its reason. */
  readonly ended?: HookReason;
  after(
    result: ToolResult,
  ): Promise<{ readonly shown: ToolResult; readonly stop?: true; readonly tell?: () => void }>;
}

export async function callHooks(
  hooks: TurnHooks | undefined,
  { call, tool, input, conventions, isRepeated, judged }: HookedCall,
): Promise<CallHooks> {
  if (!hooks || !tool || input === undefined)
    return { input, rules: [], after: (shown) => Promise.resolve({ shown }) };
  const server = tool.server ?? conventions.hookServer;
  const facts = {
    tool_name: tool.server === undefined ? call.name : call.name.replace(/^.*?__/, ''),
    server,
    tool_call_id: call.id,
  };
  const hasBefore = hooks.has('preToolCall') && !isRepeated;
  const before = hasBefore
    ? await hooks.run('preToolCall', { ...facts, tool_input: input, approval: await judged(input) }, call.id)
    : quiet;
  const now = before.input === undefined ? input : { ...asFacts(input), ...before.input };
  return {
    input: now,
    rules: ruleOf(call.name, before),
    ...(before.stop ? { ended: before.stop } : {}),
    async after(result) {
      const failed = result.status === 'failed';
      const after = await hooks.run(
        'postToolCall',
        { ...facts, tool_input: now, tool_response: resultText(result), error: failed },
        call.id,
      );
      const shown = changed(result, after, [...before.context, ...after.context]);
      return {
        shown,
        ...(before.stop || after.stop ? { stop: true as const } : {}),
        ...(after.report ? { tell: after.report } : {}),
      };
    },
  };
}

const quiet: HookAnswers = { context: [], messages: [] };

/** The log names the hook, and the model reads its reason. */
function ruleOf(tool: string, { approval, stop }: HookAnswers): readonly Rule[] {
  const asked = stop ? { effect: 'deny' as const, ...stop } : approval;
  if (!asked || asked.effect === 'allow') return [];
  return [
    {
      id: `hook ${asked.hook}`,
      effect: asked.effect,
      tool,
      hook: asked.hook,
      source: `hook '${asked.hook}'${asked.reason === '' ? '' : `: ${asked.reason}`}`,
      ...(stop ? { ends: true as const } : {}),
    },
  ];
}

function changed(result: ToolResult, { output }: HookAnswers, context: readonly string[]): ToolResult {
  if (result.status === 'denied' || (output === undefined && context.length === 0)) return result;
  const content =
    output === undefined
      ? result.content
      : [{ type: 'text', text: output } as const, ...result.content.filter(({ type }) => type === 'edit')];
  const whole = [...content, ...context.map((text) => ({ type: 'text', text }) as const)];
  return result.status === 'done'
    ? { ...result, content: whole }
    : { ...result, content: whole, ...(output === undefined ? {} : { error: output }) };
}
