import { arrayAt, numberAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Json } from '../../vocabulary/types.ts';
import type { StreamedObject } from './run-stream.ts';

/** A piece of a function call, as a delta contains it. */
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
export function joinedTexts({ events }: StreamedObject): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const { data, verb } of events) {
    if (verb !== 'delta') continue;
    for (const part of arrayAt(data, 'delta', 'content')) {
      const index = numberAt(part, 'index');
      if (index === undefined || valueAtPath(part, 'type') !== 'text') continue;
      texts.set(index, `${texts.get(index) ?? ''}${textAt(part, 'text', 'value') ?? ''}`);
    }
  }
  return texts;
}

/** The function calls that the deltas of a step make, in the order of their indexes. */
export function joinedCalls({ events }: StreamedObject): readonly JoinedCall[] {
  const found = new Map<number, CallChunk[]>();
  for (const { at, data, verb, place } of events) {
    if (verb !== 'delta') continue;
    for (const [i, chunk] of arrayAt(data, 'delta', 'step_details', 'tool_calls').entries()) {
      const index = numberAt(chunk, 'index');
      if (index === undefined || valueAtPath(chunk, 'type') !== 'function') continue;
      const piece = { at: `${at} /delta/step_details/tool_calls/${i}`, place, chunk };
      found.set(index, [...(found.get(index) ?? []), piece]);
    }
  }
  return [...found].map(([index, chunks]) => joined(index, chunks)).sort((a, b) => a.index - b.index);
}

function joined(index: number, chunks: readonly CallChunk[]): JoinedCall {
  const values = (...path: readonly string[]): readonly string[] =>
    chunks.flatMap(({ chunk }) => textAt(chunk, ...path) ?? []);
  return {
    index,
    chunks,
    id: values('id')[0],
    name: values('function', 'name')[0],
    arguments: values('function', 'arguments').join(''),
  };
}

/** The text of a message: that of its text parts, one after the other. */
export function joinedMessageText(message: Json | undefined): string {
  return arrayAt(message, 'content')
    .map((part) => textAt(part, 'text', 'value') ?? '')
    .join('');
}
