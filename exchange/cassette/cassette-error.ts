import { messageOf } from '../../schemas/error-message.ts';

/** `foreign`: an entry that no cassette has, such as a link. */
type CassetteFault =
  | 'missing'
  | 'in-use'
  | 'not-empty'
  | 'unwritable'
  | 'torn'
  | 'malformed'
  | 'conflict'
  | 'checksum'
  | 'version'
  | 'blob'
  | 'foreign'
  | 'unfinished'
  | 'secret';

/** A problem with a cassette; the message names the file, the line if there is one, and what to do. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError';
  /** Kind of the problem. */
  readonly kind: CassetteFault;

  constructor(kind: CassetteFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** The error for a damaged cassette, which can only be restored from a copy or recorded again. */
export function damageError(kind: CassetteFault, what: string, cause?: unknown): CassetteError {
  return new CassetteError(kind, `${what}. Restore it from version control, or record again.`, cause);
}

/** Runs an action that writes. Throws CassetteError `unwritable` with the system's reason if the action fails. */
export function attemptWrite<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw unwritableError(file, error);
  }
}

export function unwritableError(file: string, error: unknown): CassetteError {
  if (error instanceof CassetteError) return error;
  return new CassetteError('unwritable', `${file} cannot be written: ${messageOf(error)}.`, error);
}
