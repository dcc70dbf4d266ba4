import type { Json } from '../../exchange/body.ts';
import { get, list, number, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import type { Chunk } from '../../judge/selectors/streams.ts';

/** What ends a stream of completions. */
export const DONE = '[DONE]';

export const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** A piece of one choice. */
export interface Piece {
  readonly n: number;
  readonly at: string;
  readonly piece: Json;
}

/** The pieces of each choice of a stream, in their order. */
export function byChoice(chunks: readonly Chunk[]): { index: number; parts: readonly Piece[] }[] {
  const found = new Map<number, Piece[]>();
  for (const { n, at, data } of chunks) {
    for (const [i, piece] of list(data, 'choices').entries()) {
      const index = number(piece, 'index');
      if (index === undefined) continue;
      const parts = found.get(index) ?? [];
      parts.push({ n, at: `${at} /choices/${i}`, piece });
      found.set(index, parts);
    }
  }
  return [...found].map(([index, parts]) => ({ index, parts }));
}

/** The usage that a stream tells: that of its last chunk that has any. */
export function streamedUsage(chunks: readonly Chunk[]): Json | undefined {
  return chunks
    .map(({ data }) => get(data, 'usage'))
    .findLast((usage) => usage !== undefined && usage !== null);
}

/** Chunks in which a field is not what it is in the first. */
export function differing(chunks: readonly Chunk[], field: string): Complaint[] {
  const expected = get(chunks[0]?.data, field);
  return chunks
    .filter(({ data }) => get(data, field) !== expected)
    .map(({ at, data }) => ({
      at: `${at} /${field}`,
      expected: `${JSON.stringify(expected)} as in event 1`,
      actual: get(data, field),
    }));
}

export function wantsUsage(asked: Json | undefined): boolean {
  return get(asked, 'stream_options', 'include_usage') === true;
}

export function tellsUsage({ data }: Chunk): boolean {
  return (get(data, 'usage') ?? null) !== null;
}

export function isChunk(data: Json): boolean {
  return get(data, 'choices') !== undefined;
}

export function hasChoices(data: Json): boolean {
  return list(data, 'choices').length > 0;
}

export function finishes(data: Json): boolean {
  return text(data, 'choices', 0, 'finish_reason') !== undefined;
}

export function isUsage(data: Json): boolean {
  return (get(data, 'usage') ?? null) !== null;
}

/** `1 choice`, `2 choices`. */
export function choicesInWords(count: number): string {
  return `${count} ${count === 1 ? 'choice' : 'choices'}`;
}
