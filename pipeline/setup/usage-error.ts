/** A request that cannot be carried out. The message says what was wrong, what was found and what to do. Ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
