// Characters that a service broke: decoders show marks in place of bytes that are none.
import { setValue } from '../vocabulary/changes.ts';
import { editFrame } from '../vocabulary/exchanges.ts';
import { that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Condition, StreamFrame, Violation } from '../vocabulary/types.ts';

/** Decoders show it in place of bytes that are no character. */
const REPLACEMENT = '\u{FFFD}';

/** A text in an event of a stream. */
export interface StreamedText {
  readonly at: string;
  readonly text: string;
}

/** The characters of texts that a client joins are whole. `textsOf`: the rows of texts that it joins, in their order. */
export function wholeCharacters<S extends { readonly call: Call }>(
  textsOf: (stream: S) => readonly (readonly StreamedText[])[],
): { readonly where: readonly Condition<S>[]; readonly check: (stream: S) => readonly Violation[] } {
  return {
    where: [
      // A model may repeat the mark from its prompt.
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

/** Letters of more than one byte as a decoder shows them that gets their bytes in parts, with a mark for each part. */
export function garbled(pointer: string, marks: number) {
  return (frames: readonly StreamFrame[]): readonly StreamFrame[] =>
    frames.map((frame) =>
      editFrame(
        frame,
        setValue(pointer, (old) =>
          typeof old === 'string'
            ? old.replaceAll(/[^\p{ASCII}]/gu, REPLACEMENT.repeat(marks))
            : (old ?? null),
        ),
      ),
    );
}
