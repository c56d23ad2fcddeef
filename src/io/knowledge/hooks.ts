// The hooks of the settings in the order that they run: by name.
import type { Hook, HookAction } from '../../host/settings/projectKnowledge.ts';
import type { HookSettings } from '../../host/settings/settings.ts';

const usualTimeout = 30_000;

export function hooksOf(written: { readonly [name: string]: HookSettings }): readonly Hook[] {
  return Object.entries(written)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { on, matcher, visible = true, onlyDone, sandbox, ...what }]) => ({
      name,
      on,
      visible,
      ...(onlyDone ? { onlyDone } : {}),
      ...(sandbox === 'off' ? { unconfined: true } : {}),
      ...(matcher === undefined ? {} : { matcher }),
      actions: actionsOf(what),
    }));
}

function actionsOf({
  command,
  timeout,
  actions,
}: Pick<HookSettings, 'command' | 'timeout' | 'actions'>): readonly HookAction[] {
  const given = actions ?? [
    { ...(command === undefined ? {} : { command }), ...(timeout === undefined ? {} : { timeout }) },
  ];
  return given.flatMap((action): HookAction[] => {
    const limit = action.timeout ?? usualTimeout;
    if (action.command !== undefined) return [{ run: { command: action.command }, timeout: limit }];
    return action.file === undefined ? [] : [{ run: { file: action.file }, timeout: limit }];
  });
}
