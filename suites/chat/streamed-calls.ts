// Streams that call functions. The specification does not show their form; the requirements follow what clients do.
import { tryParseJson } from '../../schemas/json.ts';
import { textAt } from '../vocabulary/json.ts';
import { stateless, streamOf } from '../vocabulary/selectors.ts';
import type { Json, Selector, StreamEvidence } from '../vocabulary/types.ts';
import { type CallPiece, callsOf, callTexts, type StreamedCall } from './call-pieces.ts';
import { finishOf, groupByChoice, mayBeCut, stopsOf, streamedUsage } from './completions.ts';
import { isCompleteChoice } from './replies.ts';

interface JoinedCall {
  readonly at: string;
  readonly index: number | null;
  /** Position of the call in its choice, from 0, in the order of the first pieces. */
  readonly position: number;
  readonly first: Json;
  /** The first non-empty id in the pieces, with its place. */
  readonly id: { readonly at: string; readonly value: string } | null;
  readonly pieces: number;
  /** The ids after the first one, and the names after the first one. Pieces with another id belong to another call. */
  readonly repeated: { readonly ids: readonly CallPiece[]; readonly names: readonly CallPiece[] };
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly arguments: string;
  /** The parsed arguments; null unless they are JSON text. */
  readonly decoded: Json;
  /** False if the arguments may have been cut off. */
  readonly complete: boolean;
}

export interface StreamedCalls extends StreamEvidence {
  readonly pieces: readonly CallPiece[];
  readonly joined: readonly JoinedCall[];
  readonly choices: readonly { readonly calls: readonly JoinedCall[] }[];
  /** The largest number of distinct ids in one choice. */
  readonly mostCalls: number;
}

/** Every stream that was not interrupted and calls a function. */
export const streamedCalls: Selector<StreamedCalls> = stateless<StreamedCalls>(
  'streamed calls',
  'createChatCompletion',
  { needs: 'a whole stream of createChatCompletion that calls a function' },
  (call) => {
    const stream = streamOf(call);
    if (stream?.ended !== true) return [];
    const { requestJson: asked } = call;
    const choices = groupByChoice(stream.chunks).map(({ parts }) => ({
      finish: finishOf(parts),
      calls: callsOf(parts),
    }));
    const pieces = choices.flatMap(({ calls }) => calls.flatMap((one) => one.pieces));
    if (pieces.length === 0) return [];
    const isUncut =
      stopsOf(asked).length === 0 && !mayBeCut(asked, streamedUsage(stream.chunks), choices.length);
    const joined = choices.map((choice) => ({
      calls: choice.calls.map((one, position) =>
        joinPieces(one, position, isUncut && isCompleteChoice(choice)),
      ),
    }));
    const mostCalls = Math.max(
      ...choices.map(({ calls }) => new Set(calls.flatMap((one) => callTexts(one, 'id'))).size),
    );
    return [
      { ...stream, asked, pieces, joined: joined.flatMap(({ calls }) => calls), choices: joined, mostCalls },
    ];
  },
);

function joinPieces(call: StreamedCall, position: number, complete: boolean): JoinedCall {
  const text = callTexts(call, 'function', 'arguments').join('');
  const [first] = call.pieces;
  return {
    at: first?.at ?? '',
    index: call.index,
    position,
    first: first?.value ?? null,
    id: firstId(call),
    pieces: call.pieces.length,
    repeated: {
      ids: repeatedTexts(call, '/id', 'id'),
      names: repeatedTexts(call, '/function/name', 'function', 'name'),
    },
    ids: [...new Set(callTexts(call, 'id'))],
    names: callTexts(call, 'function', 'name'),
    arguments: text,
    decoded: tryParseJson(text) ?? null,
    complete,
  };
}

function firstId({ pieces }: StreamedCall): JoinedCall['id'] {
  for (const { at, value } of pieces) {
    const id = textAt(value, 'id') ?? '';
    if (id !== '') return { at: `${at}/id`, value: id };
  }
  return null;
}

function repeatedTexts(call: StreamedCall, place: string, ...path: readonly string[]): readonly CallPiece[] {
  const id = firstId(call)?.value ?? '';
  return call.pieces
    .filter(({ value }) => ['', id].includes(textAt(value, 'id') ?? ''))
    .flatMap(({ at, value }) => {
      const text = textAt(value, ...path) ?? '';
      return text === '' ? [] : [{ at: `${at}${place}`, value: text }];
    })
    .slice(1);
}
