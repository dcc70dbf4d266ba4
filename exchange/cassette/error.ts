/** Something is wrong with a cassette; the message names the file, the line where there is one, and what to do. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError';
  /**
   * `in-use` and `not-empty` are the caller's affair; `foreign` is an entry that no cassette has, as a link; the others are
   * damage or the disk's.
   */
  readonly kind: CassetteFault;

  constructor(kind: CassetteFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export type CassetteFault =
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
