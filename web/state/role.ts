// The role of this browser. A host that is not Parley reports none; the console then offers everything.
import type { Role } from '../../client/connection/extensions.ts';
import { useClient } from './app.ts';

const ranks: Readonly<Record<Role, number>> = { observe: 0, approve: 1, control: 2 };

export function useHasRole(needed: Role): boolean {
  const role = useClient().access.value?.role ?? 'control';
  return ranks[role] >= ranks[needed];
}

export const roleLabels: Readonly<Record<Role, string>> = {
  observe: 'View',
  approve: 'Approve',
  control: 'Full control',
};
