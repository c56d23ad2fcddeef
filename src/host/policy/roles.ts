// The roles of clients that connect over the network: observe, approve, or control.

export const roles = ['observe', 'approve', 'control'] as const;

export type Role = (typeof roles)[number];

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

export function mayAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** The refusal for a client that asks for more than its role allows. */
export function roleRefusal(role: Role, needed: Role): string {
  return (
    `This device may ${roleText[role]}; this needs a device that may ${roleText[needed]}. Change it with ` +
    'parley devices role.'
  );
}

export const roleText: Readonly<Record<Role, string>> = {
  observe: 'view',
  approve: 'view and approve',
  control: 'control everything',
};
