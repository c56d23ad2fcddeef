// The status bitset that sessions and chats share in every version: exclusive activity bits below,
// independent flags above. It is computed with plain arithmetic, because the bit operators of the language
// would damage unknown flags from bit 31 on.

export const statusBits = {
  idle: 1,
  error: 2,
  inProgress: 8,
  /** Includes `inProgress`: a turn that waits for a person is still running. */
  inputNeeded: 24,
  isRead: 32,
  isArchived: 64,
} as const;

export type Activity = 1 | 2 | 8 | 24;

const activitySpan = 32;

export function withActivity(status: number, activity: Activity): number {
  return status - (status % activitySpan) + activity;
}

export function withFlag(status: number, flag: number, wanted: boolean): number {
  const isSet = Math.floor(status / flag) % 2 === 1;
  if (isSet === wanted) return status;
  return wanted ? status + flag : status - flag;
}

/**
 * Takes back only the bit that asks for input, so a running turn keeps running and an
 * idle session stays idle.
 */
export function withoutInputNeeded(status: number): number {
  return withFlag(status, statusBits.inputNeeded - statusBits.inProgress, false);
}
