// Refuses a permission mode that the settings or the machine do not allow, whoever chooses it.
import { reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { Autonomy, Origin } from '../../model/event.ts';
import { autonomyRefusal } from '../settings/autonomy.ts';
import type { World } from '../world.ts';

export function checkAutonomy(
  level: Autonomy | undefined,
  roots: readonly string[],
  { settings, programs, by }: Pick<World, 'settings' | 'programs'> & { readonly by: Origin },
): Rejection | undefined {
  const why = level && autonomyRefusal(level, roots, { settings, sandbox: programs?.sandbox?.known(), by });
  return why === undefined ? undefined : reject('invalid', why);
}
