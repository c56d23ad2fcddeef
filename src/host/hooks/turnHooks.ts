// The hooks of one turn, for any agent: builds their facts and records their runs in the log.
import type { SessionReporter, TurnContext } from '../agent.ts';
import { matchesFacts, runHooks, workspaceKey } from './hooks.ts';
import type { HookAnswers, HookFacts, HookReason } from './hooks.ts';
import type { Hook, HookEvent } from '../settings/projectKnowledge.ts';
import type { Ids, Processes } from '../ports.ts';
import type { AgentReport } from '../../model/command.ts';

export interface TurnHooks {
  /** Runs the hooks for an event and reports their messages. `call` is the tool call it is about. */
  run(event: HookEvent, facts: HookFacts, call?: string): Promise<TurnHookAnswers>;
  /** Whether a hook is configured for the event, and for this call if one is passed. */
  has(event: HookEvent, call?: HookFacts): boolean;
}

/** `report` records the hooks that ran after a call; call it when the call has ended in the log. */
export interface TurnHookAnswers extends HookAnswers {
  readonly report?: () => void;
}

export interface TurnHooksOptions {
  readonly hooks: readonly Hook[];
  /** The hooks in effect now: trust in a folder ends when a script of it changes, also during the turn. */
  readonly inEffect?: (() => readonly Hook[]) | undefined;
  readonly processes: Processes;
  readonly ids: Ids;
  readonly record: SessionReporter['record'];
  readonly agent: string;
  readonly model: string;
  /** HookFacts about this program for every hook. */
  readonly facts?: HookFacts | undefined;
}

export function turnHooks(
  turn: TurnContext,
  { hooks, inEffect, processes, ids, record, agent, model, facts: hostFacts = {} }: TurnHooksOptions,
): TurnHooks {
  const cwd = turn.session.roots[0] ?? '/';
  const facts = { ...hostFacts, ...turnFacts(turn, { agent, model }) };
  const has: TurnHooks['has'] = (event, call) =>
    hooks.some((hook) => hook.on === event && (!call || matchesFacts(hook, call)));
  return {
    has,
    async run(event, more, call) {
      if (!has(event)) return { context: [], messages: [] };
      const running = new Map<string, string>();
      const later: (() => void)[] = [];
      // Hooks after a call can change its result, so their runs are recorded after the result is.
      const log =
        event === 'postToolCall'
          ? (entry: () => void) => void later.push(entry)
          : (entry: () => void) => entry();
      const limits = await turn.workspace.limits('auto');
      const answers = await runHooks(event, more, {
        hooks: inEffect ? stillIn(inEffect(), hooks) : hooks,
        processes,
        cwd,
        signal: turn.signal,
        facts,
        confined: limits && 'refused' in limits ? undefined : limits,
        onProgress({ name, action, finished }) {
          const key = `${name} ${action}`;
          const id = running.get(key) ?? ids.next();
          running.set(key, id);
          log(() =>
            record({
              kind: 'hook.ran',
              chat: turn.session.chat,
              id,
              name,
              ...(finished ? { result: finished } : {}),
              ...(call === undefined ? {} : { call }),
            }),
          );
        },
      });
      for (const { hook, text } of answers.messages)
        log(() => turn.report({ kind: 'notice.added', level: 'info', text: `Hook '${hook}': ${text}` }));
      const ended = answers.stop ?? answers.blocked;
      // A stop before a call is reported when the call was refused.
      if (ended && event !== 'preToolCall') log(() => turn.report(stopNotice(ended)));
      return later.length === 0 ? answers : { ...answers, report: () => later.forEach((entry) => entry()) };
    },
  };
}

/** A hook that changed or is new counts from the next turn on. */
function stillIn(now: readonly Hook[], hooks: readonly Hook[]): readonly Hook[] {
  const known = new Set(now.map((hook) => JSON.stringify(hook)));
  return hooks.filter((hook) => known.has(JSON.stringify(hook)));
}

export function stopNotice({
  hook,
  reason,
}: HookReason): Extract<AgentReport, { readonly kind: 'notice.added' }> {
  return {
    kind: 'notice.added',
    level: 'warning',
    text: `Turn stopped by hook '${hook}': ${reason}`,
    stoppedBy: hook,
  };
}

function turnFacts(
  turn: TurnContext,
  { agent, model }: Pick<TurnHooksOptions, 'agent' | 'model'>,
): HookFacts {
  const variant = turn.state().options['variant'];
  return {
    workspaces: turn.session.roots,
    cwd: turn.session.roots[0] ?? '/',
    session_id: workspaceKey(turn.session.roots),
    chat_id: turn.session.chat,
    agent,
    behavior: agent,
    full_model: model,
    ...(typeof variant === 'string' ? { variant } : {}),
  };
}
