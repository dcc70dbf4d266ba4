/** An extension that cannot be used; the message names the file, the place and the problem. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
}
