// Characters that a service broke: decoders show marks in place of bytes that are none.
import { setValue } from '../vocabulary/changes.ts';
import { editFrame } from '../vocabulary/exchanges.ts';
import type { StreamFrame } from '../vocabulary/types.ts';

/** Decoders show it in place of bytes that are no character. */
export const REPLACEMENT = '\u{FFFD}';

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
