/** A file that is of a known kind and not in order; the message names the place in it. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}
