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

export class CassetteError extends Error {
  override readonly name = 'CassetteError';
  /** Machine-readable kind of the fault; the message is for people. */
  readonly kind: CassetteFault;

  constructor(kind: CassetteFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export function damageError(kind: CassetteFault, what: string, cause?: unknown): CassetteError {
  return new CassetteError(kind, `${what}. Restore it from version control, or record again.`, cause);
}

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
