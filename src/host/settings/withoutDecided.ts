// Leaves out the notices about folders that the user has decided about. Pure.
import type { FolderTrust, SettingsProblem } from './settings.ts';

/** Who never trusts a folder, or declined to decide, need not hear again that it is not trusted. */
export function withoutDecided(
  problems: readonly SettingsProblem[],
  roots: readonly string[],
  trust: FolderTrust | undefined,
): readonly SettingsProblem[] {
  if (!trust) return problems;
  const open = trust.undecided(roots).flatMap(({ folder, declined }) => (declined ? [] : [folder]));
  return problems.filter(({ kind, folder }) => kind !== 'untrusted' || open.includes(folder ?? ''));
}
