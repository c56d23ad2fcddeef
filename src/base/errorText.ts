// The message of a caught value.

/** The error's message; `otherwise` if the value is not an `Error`. */
export function errorText(error: unknown, otherwise = 'unknown cause'): string {
  return error instanceof Error ? error.message : otherwise;
}
