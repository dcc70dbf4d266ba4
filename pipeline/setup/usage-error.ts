/** A request that cannot be carried out. The message says what is wrong and what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
