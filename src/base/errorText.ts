// The message and the code of a caught value.

/** The error's message; `otherwise` if the value is not an `Error`. */
export function errorText(error: unknown, otherwise = 'unknown cause'): string {
  return error instanceof Error ? error.message : otherwise;
}

/** The code of an error of the system or of Node, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
