// The message of a caught value.

/** The error's message, or `otherwise` where something else than an error was thrown. */
export function errorText(error: unknown, otherwise = 'unknown cause'): string {
  return error instanceof Error ? error.message : otherwise;
}
