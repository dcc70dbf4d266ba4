import type { Json } from '../../exchange/body.ts';
import { get, list, number, text } from '../../judge/json.ts';
import type { Thing } from './tale.ts';

/** A piece of a function call, as a delta tells it. */
export interface CallChunk {
  /** `event 5 /delta/step_details/tool_calls/0`. */
  readonly at: string;
  /** Place of its event in the stream. */
  readonly place: number;
  readonly chunk: Json;
}

/** A function call, put together from the deltas of its step. */
export interface JoinedCall {
  readonly index: number;
  readonly chunks: readonly CallChunk[];
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
}

/** The texts that the deltas of a message make, by the index of their part. */
export function joinedTexts({ told }: Thing): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const { data, verb } of told) {
    if (verb !== 'delta') continue;
    for (const part of list(data, 'delta', 'content')) {
      const index = number(part, 'index');
      if (index === undefined || get(part, 'type') !== 'text') continue;
      texts.set(index, `${texts.get(index) ?? ''}${text(part, 'text', 'value') ?? ''}`);
    }
  }
  return texts;
}

/** The function calls that the deltas of a step make, in the order of their indexes. */
export function joinedCalls({ told }: Thing): readonly JoinedCall[] {
  const found = new Map<number, CallChunk[]>();
  for (const { at, data, verb, place } of told) {
    if (verb !== 'delta') continue;
    for (const [i, chunk] of list(data, 'delta', 'step_details', 'tool_calls').entries()) {
      const index = number(chunk, 'index');
      if (index === undefined || get(chunk, 'type') !== 'function') continue;
      const piece = { at: `${at} /delta/step_details/tool_calls/${i}`, place, chunk };
      found.set(index, [...(found.get(index) ?? []), piece]);
    }
  }
  return [...found].map(([index, chunks]) => joined(index, chunks)).sort((a, b) => a.index - b.index);
}

function joined(index: number, chunks: readonly CallChunk[]): JoinedCall {
  const told = (...path: readonly string[]): readonly string[] =>
    chunks.flatMap(({ chunk }) => text(chunk, ...path) ?? []);
  return {
    index,
    chunks,
    id: told('id')[0],
    name: told('function', 'name')[0],
    arguments: told('function', 'arguments').join(''),
  };
}

/** The text of a message: that of its text parts, one after the other. */
export function textOf(message: Json | undefined): string {
  return list(message, 'content')
    .map((part) => text(part, 'text', 'value') ?? '')
    .join('');
}
