// The hooks of one turn, whoever works on it: what they are told, and what becomes of their answers in the log.
import type { Aside, TurnContext } from '../agent.ts';
import { fitsCall, runHooks, workspaceKey } from './hooks.ts';
import type { Facts, HookAnswers, Reason } from './hooks.ts';
import type { Hook, HookEvent } from '../settings/projectKnowledge.ts';
import type { Ids, Processes } from '../ports.ts';
import type { AgentReport } from '../../model/command.ts';

export interface TurnHooks {
  /** Runs what is set up for a moment; people are told what the programs have to say to them. `call` names the tool call it is about. */
  run(event: HookEvent, facts: Facts, call?: string): Promise<Heard>;
  /** Whether anything is set up for a moment, and for this call where one is given. */
  has(event: HookEvent, call?: Facts): boolean;
}

/** `tell` says what there is to say about hooks that ran after a call; it is to be called once the call has ended in the log. */
export type Heard = HookAnswers & { readonly tell?: () => void };

export interface TurnHooksOptions {
  readonly hooks: readonly Hook[];
  readonly processes: Processes;
  readonly ids: Ids;
  readonly record: Aside['record'];
  readonly agent: string;
  readonly model: string;
  /** What every program is told of this one. */
  readonly facts?: Facts | undefined;
}

export function turnHooks(
  turn: TurnContext,
  { hooks, processes, ids, record, agent, model, facts: given = {} }: TurnHooksOptions,
): TurnHooks {
  const cwd = turn.session.roots[0] ?? '/';
  const variant = turn.state().options['variant'];
  const facts: Facts = {
    ...given,
    workspaces: turn.session.roots,
    cwd,
    session_id: workspaceKey(turn.session.roots),
    chat_id: turn.session.chat,
    agent,
    behavior: agent,
    full_model: model,
    ...(typeof variant === 'string' ? { variant } : {}),
  };
  const has: TurnHooks['has'] = (event, call) =>
    hooks.some((hook) => hook.on === event && (!call || fitsCall(hook, call)));
  return {
    has,
    async run(event, more, call) {
      if (!has(event)) return { context: [], messages: [] };
      const running = new Map<string, string>();
      const later: (() => void)[] = [];
      // What a tool returned is stored once the hooks after it have changed it, and what they did comes behind it.
      const say =
        event === 'postToolCall' ? (what: () => void) => void later.push(what) : (what: () => void) => what();
      const answers = await runHooks(event, more, {
        hooks,
        processes,
        cwd,
        signal: turn.signal,
        facts,
        told({ name, action, finished }) {
          const key = `${name} ${action}`;
          const id = running.get(key) ?? ids.next();
          running.set(key, id);
          say(() =>
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
        say(() => turn.report({ kind: 'notice.added', level: 'info', text: `Hook '${hook}': ${text}` }));
      const ended = answers.stop ?? answers.blocked;
      // What ends the turn before a call is said once the call is refused.
      if (ended && event !== 'preToolCall') say(() => turn.report(stopNotice(ended)));
      return later.length === 0 ? answers : { ...answers, tell: () => later.forEach((what) => what()) };
    },
  };
}

export function stopNotice({
  hook,
  reason,
}: Reason): Extract<AgentReport, { readonly kind: 'notice.added' }> {
  return {
    kind: 'notice.added',
    level: 'warning',
    text: `Turn stopped by hook '${hook}': ${reason}`,
    stoppedBy: hook,
  };
}
