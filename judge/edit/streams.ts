import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import { events } from '../../exchange/events.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { SseEvent } from '../../exchange/sse.ts';
import { withBody } from './exchanges.ts';
import type { Edit } from './values.ts';

/** An event of a stream as it will be written again. */
export interface Frame {
  readonly event: string;
  readonly data: string;
  /** Its bytes as they were, where nothing changed it. */
  readonly bytes: Uint8Array | null;
}

/** The exchange with its events rewritten; the same exchange where it is no stream, or nothing changes. */
export function withEvents(
  exchange: Exchange,
  rewrite: (frames: readonly Frame[]) => readonly Frame[],
): Exchange {
  const { response } = exchange;
  const stream = response === null ? null : events(response);
  const content = response === null ? null : (decoded(response)?.bytes ?? null);
  if (stream === null || content === null) return exchange;
  const frames = stream.events.map((event) => frameOf(event, content));
  const rewritten = rewrite(frames);
  if (rewritten.length === frames.length && rewritten.every((frame, i) => frame === frames[i]))
    return exchange;
  return withBody(exchange, Buffer.concat(rewritten.map(bytesOf)));
}

/** A frame with other data; the same frame where its data are no JSON, or the edit does not apply. */
export function reframe(frame: Frame, edit: Edit): Frame {
  const value = dataOf(frame);
  if (value === undefined) return frame;
  const changed = edit(value);
  return changed === value ? frame : frameWith(frame.event, JSON.stringify(changed));
}

/** The JSON that an event carries; undefined where it is none. */
export function dataOf({ data }: Frame): Json | undefined {
  try {
    return JSON.parse(data) as Json; // as: JSON.parse gives exactly Json, the library types it any
  } catch {
    return undefined;
  }
}

export function frameWith(event: string, data: string): Frame {
  return { event, data, bytes: null };
}

function frameOf({ event, data, start, end }: SseEvent, content: Uint8Array): Frame {
  return { event, data, bytes: content.subarray(start, end) };
}

function bytesOf({ event, data, bytes }: Frame): Uint8Array {
  if (bytes !== null) return bytes;
  const name = event === '' ? '' : `event: ${event}\n`;
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return Buffer.from(`${name}${lines.join('')}\n`);
}
