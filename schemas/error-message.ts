// Message and code of a caught value, which is not always an Error.

/** The message of a caught value: that of an Error, any other value as a string. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system, of Node or of undici, such as `ENOENT`; null for any other value. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
