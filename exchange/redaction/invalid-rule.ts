/** A redaction rule that cannot be read or is refused; the message names it and says what to write. */
export class InvalidRedactionRule extends Error {
  override readonly name = 'InvalidRedactionRule';
}
