// What this browser may do here. A host that does not tell lets us do everything, or refuses by itself.
import type { Role } from '../client/own.ts';
import { useClient } from './app.ts';

const ranks: Readonly<Record<Role, number>> = { observe: 0, approve: 1, control: 2 };

export function useMay(needed: Role): boolean {
  const role = useClient().me.value?.role ?? 'control';
  return ranks[role] >= ranks[needed];
}

export const roleLabels: Readonly<Record<Role, string>> = {
  observe: 'Look',
  approve: 'Look and answer',
  control: 'Everything',
};
