// Collects streams that call functions. The specification does not show such streams, so the requirements follow what
// clients do.
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
  readonly id: { readonly at: string; readonly value: string } | null;
  readonly pieces: number;
  /** The ids and names after the first ones. Ignores pieces with another id, which belong to another call. */
  readonly repeated: { readonly ids: readonly CallPiece[]; readonly names: readonly CallPiece[] };
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly arguments: string;
  /** The parsed arguments; null if they are not JSON. */
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
    repeated: { ids: repeatedTexts(call, 'id'), names: repeatedTexts(call, 'function', 'name') },
    ids: [...new Set(callTexts(call, 'id'))],
    names: callTexts(call, 'function', 'name'),
    arguments: text,
    decoded: tryParseJson(text) ?? null,
    complete,
  };
}

function firstId(call: StreamedCall): JoinedCall['id'] {
  return placedTexts(call.pieces, 'id')[0] ?? null;
}

function repeatedTexts(call: StreamedCall, ...path: readonly string[]): readonly CallPiece[] {
  const id = firstId(call)?.value ?? '';
  const ownPieces = call.pieces.filter(({ value }) => ['', id].includes(textAt(value, 'id') ?? ''));
  return placedTexts(ownPieces, ...path).slice(1);
}

function placedTexts(pieces: readonly CallPiece[], ...path: readonly string[]) {
  return pieces.flatMap(({ at, value }) => {
    const text = textAt(value, ...path) ?? '';
    return text === '' ? [] : [{ at: `${at}/${path.join('/')}`, value: text }];
  });
}
