// Detects characters that a service splits between two texts of a stream.
import { that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Condition, Violation } from '../vocabulary/types.ts';

const REPLACEMENT_CHARACTER = '\u{FFFD}';

export interface StreamedText {
  readonly at: string;
  readonly text: string;
}

/** Requires whole characters in texts that a client joins. `textsOf` returns lists of such texts in stream order. */
export function wholeCharacters<S extends { readonly call: Call }>(
  textsOf: (stream: S) => readonly (readonly StreamedText[])[],
): { readonly where: readonly Condition<S>[]; readonly check: (stream: S) => readonly Violation[] } {
  return {
    where: [
      // A model may repeat the replacement character from its prompt.
      that(
        'with text beyond ASCII, and without U+FFFD in the request',
        (stream) =>
          !JSON.stringify(stream.call.requestJson ?? null).includes(REPLACEMENT_CHARACTER) &&
          textsOf(stream).some((texts) => texts.some(({ text }) => /[^\p{ASCII}]/u.test(text))),
      ),
    ],
    check: (stream) =>
      textsOf(stream).flatMap((texts) =>
        texts
          // A reply may be cut off within its last character.
          .slice(0, -1)
          .filter(({ text }) => text.includes(REPLACEMENT_CHARACTER))
          .map(({ at, text }) => violation(at, 'whole characters', text)),
      ),
  };
}
