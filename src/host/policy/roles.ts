// What somebody may do who came in over the network: look, answer what waits as well, or everything. Knows no wire.

export const roles = ['observe', 'approve', 'control'] as const;

export type Role = (typeof roles)[number];

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

export function mayAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** What is said to whoever asks for more than its role. */
export function beyond(role: Role, needed: Role): string {
  return `This device may ${roleWords[role]}; this needs a device that may ${roleWords[needed]}. Change it with parley devices role.`;
}

export const roleWords: Readonly<Record<Role, string>> = {
  observe: 'look',
  approve: 'look and answer what waits',
  control: 'do everything',
};
