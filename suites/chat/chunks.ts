import { eventsWhere, firstPicked, lastPicked } from '../vocabulary/changes.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import type {
  EventPicker,
  Json,
  JsonEvent,
  StreamEvidence,
  StreamedPair,
  Violation,
} from '../vocabulary/types.ts';

/** The data of the event that ends a stream of completions. */
export const DONE = '[DONE]';

/** The data of an event that reports a failure in the middle of a stream. */
export const STREAM_ERROR =
  '{"error":{"message":"Out of memory.","type":"server_error","param":null,"code":null}}';

export const CHUNK_USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** The part of one choice in a chunk. */
export interface ChoiceDelta {
  readonly n: number;
  readonly at: string;
  readonly piece: Json;
}

/** A choice of a stream. */
export interface StreamedChoice {
  readonly index: number;
  /** Its parts in their order. */
  readonly parts: readonly ChoiceDelta[];
}

/** The choices of a stream. */
export function byChoice(chunks: readonly JsonEvent[]): readonly StreamedChoice[] {
  const found = new Map<number, ChoiceDelta[]>();
  for (const { n, at, data } of chunks) {
    for (const [i, piece] of arrayAt(data, 'choices').entries()) {
      const index = numberAt(piece, 'index');
      if (index === undefined) continue;
      const parts = found.get(index) ?? [];
      parts.push({ n, at: `${at} /choices/${i}`, piece });
      found.set(index, parts);
    }
  }
  return [...found].map(([index, parts]) => ({ index, parts }));
}

/** One element of `tool_calls` in a delta. */
export interface CallPiece {
  /** For findings: `event 3 /choices/0/delta/tool_calls/0`. */
  readonly at: string;
  readonly value: Json;
}

/** The pieces of a call: those of one choice with the same index. */
export interface StreamedCall {
  readonly index: number | null;
  /** In their order; at least one. */
  readonly pieces: readonly CallPiece[];
}

/** The pieces of calls in a choice. */
export function callPieces(parts: readonly ChoiceDelta[]): readonly CallPiece[] {
  return parts.flatMap(({ at, piece }) =>
    arrayAt(piece, 'delta', 'tool_calls').map((value, i) => ({ at: `${at}/delta/tool_calls/${i}`, value })),
  );
}

/** Groups pieces by their index, as clients do; the specification does not show how calls are streamed. */
export function byCall(pieces: readonly CallPiece[]): readonly StreamedCall[] {
  const found = new Map<number | null, CallPiece[]>();
  for (const one of pieces) {
    const index = numberAt(one.value, 'index') ?? null;
    found.set(index, [...(found.get(index) ?? []), one]);
  }
  return [...found].map(([index, group]) => ({ index, pieces: group }));
}

/** The texts in one field of the pieces of a call, without empty ones. */
export function textsOf({ pieces }: StreamedCall, ...path: readonly string[]): readonly string[] {
  return pieces.flatMap(({ value }) => textAt(value, ...path) || []);
}

/** The reason why a choice ended: the last that its parts contain. */
export function finishOf(parts: readonly ChoiceDelta[]): string | undefined {
  return parts.map(({ piece }) => textAt(piece, 'finish_reason')).findLast((finish) => finish !== undefined);
}

/** The usage of a stream: that of the last chunk with any. */
export function streamedUsage(chunks: readonly JsonEvent[]): Json | undefined {
  return chunks
    .map(({ data }) => valueAtPath(data, 'usage'))
    .findLast((usage) => usage !== undefined && usage !== null);
}

export function wantsUsage(asked: Json | undefined): boolean {
  return valueAtPath(asked, 'stream_options', 'include_usage') === true;
}

export const withTwoPieces = that<StreamEvidence>('with two parts of a choice', ({ chunks }) =>
  byChoice(chunks).some(({ parts }) => parts.length > 1),
);

/** Whether a request leaves usage out. An invalid value of the option asks neither for usage nor for its absence. */
export function wantsNoUsage(asked: Json | undefined): boolean {
  const options = valueAtPath(asked, 'stream_options') ?? null;
  if (options === null) return true;
  const given = valueAtPath(options, 'include_usage') ?? false;
  return typeof options === 'object' && !Array.isArray(options) && given === false;
}

export function hasUsage({ data }: JsonEvent): boolean {
  return (valueAtPath(data, 'usage') ?? null) !== null;
}

/** A number with its noun: `1 choice`, `2 choices`. */
export function choicesInWords(count: number): string {
  return `${count} ${count === 1 ? 'choice' : 'choices'}`;
}

// Which events of a streamed completion are meant, for mutations.

/** All but the end of the stream. */
const everyChunk: EventPicker = eventsWhere((data) => valueAtPath(data, 'choices') !== undefined);

/** The last chunk of a stream, before its end. */
export const lastChunk: EventPicker = lastPicked(everyChunk);

/** Chunks with a part of a choice. */
export const everyPiece: EventPicker = eventsWhere((data) => arrayAt(data, 'choices').length > 0);
/** The first chunk with a part of a choice. */
export const firstPiece: EventPicker = firstPicked(everyPiece);
/** The last chunk with a part of a choice. */
export const lastPiece: EventPicker = lastPicked(everyPiece);

/** The last chunk of a choice. */
export const endOfChoice: EventPicker = eventsWhere(
  (data) => textAt(data, 'choices', 0, 'finish_reason') !== undefined,
);

/** Chunks that report usage. */
export const usageChunk: EventPicker = eventsWhere((data) => (valueAtPath(data, 'usage') ?? null) !== null);

/**
 * Where the texts of streams differ from those in one piece. Models may answer the same question in two
 * ways. So a difference counts as a violation only where the replies are equal each time: several times in
 * one piece, and several times streamed. `textOf` and `joinedOf` give texts as `joinTexts` does.
 */
export function differingTexts(
  { plain, streamed }: StreamedPair,
  at: string,
  textOf: (answer: Json) => string | null,
  joinedOf: (chunks: readonly JsonEvent[]) => string | null,
): Violation[] {
  const whole = plain.map(({ answer }) => textOf(answer));
  const joined = streamed.map(({ chunks }) => joinedOf(chunks));
  const differing = joined.findIndex((one) => !whole.includes(one));
  if (differing === -1 || joined.some((one) => whole.includes(one))) return [];
  const steady = isSteady(whole) && isSteady(joined);
  return [
    {
      at,
      expected: whole[0] ?? 'no text',
      actual: JSON.parse(joined[differing] ?? 'null') as Json, // as: joinTexts made it
      exchange: streamed[differing]?.call.exchange.id ?? '',
      ...(steady ? {} : { inconclusive: 'model' as const }),
    },
  ];
}

/** True for several texts that are all the same. */
export function isSteady(texts: readonly (string | null)[]): boolean {
  return texts.length > 1 && new Set(texts).size === 1;
}

/** The texts of choices as one JSON list, sorted by index; an empty text counts like a missing one. Null where all are missing. */
export function joinTexts(
  texts: readonly (readonly [index: number | undefined, text: string | undefined])[],
): string | null {
  const inOrder = texts
    .toSorted(([a = 0], [b = 0]) => a - b)
    .map(([, one]) => (one === '' ? undefined : one));
  return inOrder.every((one) => one === undefined) ? null : JSON.stringify(inOrder.map((one) => one ?? null));
}

/** The prompt tokens that a reply in one piece counts. */
export function promptTokensOf({ plain }: StreamedPair): number | undefined {
  return plain
    .map(({ answer }) => numberAt(answer, 'usage', 'prompt_tokens'))
    .find((count) => count !== undefined);
}

/** The indexes of choices, sorted. */
export function indexes(choices: readonly Json[]): readonly number[] {
  return choices.flatMap((one) => numberAt(one, 'index') ?? []).sort((a, b) => a - b);
}
