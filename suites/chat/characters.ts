// Detects characters that a service broke: decoders replace invalid bytes with replacement characters.
import { that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Condition, Violation } from '../vocabulary/types.ts';

/** Decoders substitute it for invalid bytes. */
const REPLACEMENT = '\u{FFFD}';

/** A text in an event of a stream. */
export interface StreamedText {
  readonly at: string;
  readonly text: string;
}

/**
 * Texts that a client joins contain only complete characters. `textsOf`: the groups of texts that it joins, in order.
 */
export function wholeCharacters<S extends { readonly call: Call }>(
  textsOf: (stream: S) => readonly (readonly StreamedText[])[],
): { readonly where: readonly Condition<S>[]; readonly check: (stream: S) => readonly Violation[] } {
  return {
    where: [
      // A model may repeat the replacement character from its prompt.
      that(
        'with text beyond ASCII, and without U+FFFD in the request',
        (stream) =>
          !JSON.stringify(stream.call.requestJson ?? null).includes(REPLACEMENT) &&
          textsOf(stream).some((texts) => texts.some(({ text }) => /[^\p{ASCII}]/u.test(text))),
      ),
    ],
    check: (stream) =>
      textsOf(stream).flatMap((texts) =>
        texts
          // A reply may be cut off within its last character.
          .slice(0, -1)
          .filter(({ text }) => text.includes(REPLACEMENT))
          .map(({ at, text }) => violation(at, 'whole characters', text)),
      ),
  };
}
