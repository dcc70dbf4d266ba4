// Groups the pieces of streamed function calls by index, as clients do: the specification does not show their form.
import { getOrMake } from '../../schemas/maps.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';
import type { ChoicePart } from './completions.ts';

export interface CallPiece {
  /** The place for findings, such as `event 3 /choices/0/delta/tool_calls/0`. */
  readonly at: string;
  readonly value: Json;
}

export interface StreamedCall {
  readonly index: number | null;
  /** The pieces in order; at least one. */
  readonly pieces: readonly CallPiece[];
}

export function callsOf(parts: readonly ChoicePart[]): readonly StreamedCall[] {
  const piecesByIndex = new Map<number | null, CallPiece[]>();
  for (const { at, piece } of parts) {
    for (const [i, value] of arrayAt(piece, 'delta', 'tool_calls').entries()) {
      const index = numberAt(value, 'index') ?? null;
      getOrMake(piecesByIndex, index, () => []).push({ at: `${at}/delta/tool_calls/${i}`, value });
    }
  }
  return [...piecesByIndex].map(([index, pieces]) => ({ index, pieces }));
}

/** The non-empty texts at a path in the pieces. */
export function callTexts({ pieces }: StreamedCall, ...path: readonly string[]): readonly string[] {
  return pieces.flatMap(({ value }) => textAt(value, ...path) || []);
}
