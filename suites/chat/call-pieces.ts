// The pieces of streamed function calls. The specification does not show their form; clients join them in this way.
import { getOrMake } from '../../schemas/maps.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';
import type { ChoicePart } from './completions.ts';

/** One element of `tool_calls` in a delta. */
export interface CallPiece {
  /** The place for findings, such as `event 3 /choices/0/delta/tool_calls/0`. */
  readonly at: string;
  readonly value: Json;
}

/** A call in one choice, as pieces that have the same index. */
export interface StreamedCall {
  readonly index: number | null;
  /** The pieces in order; at least one. */
  readonly pieces: readonly CallPiece[];
}

/** Groups the pieces in one choice by the index of their call. */
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

/** The non-empty texts in one field of the pieces of a call. */
export function callTexts({ pieces }: StreamedCall, ...path: readonly string[]): readonly string[] {
  return pieces.flatMap(({ value }) => textAt(value, ...path) || []);
}
