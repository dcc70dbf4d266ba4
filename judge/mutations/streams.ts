// Edits of the events of a stream. Unchanged events keep their bytes, so that a mutant differs only where it is
// meant to.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';

import { withBody } from './exchanges.ts';
import type { Edit } from './values.ts';

/** An event of a stream as it will be written again. */
export interface StreamFrame {
  readonly event: string;
  readonly data: string;
  /** Its original bytes; null once it is changed. */
  readonly bytes: Uint8Array | null;
}

/** The exchange with its events rewritten; the same exchange if it is not a stream, or nothing changes. */
export function withEvents(
  exchange: Exchange,
  rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
): Exchange {
  const { response } = exchange;
  const stream = response === null ? null : eventsOf(response);
  const content = response === null ? null : (decodedContent(response)?.bytes ?? null);
  if (stream === null || content === null) return exchange;
  const frames = stream.events.map((event) => frameOf(event, content));
  const rewritten = rewrite(frames);
  if (rewritten.length === frames.length && rewritten.every((frame, i) => frame === frames[i]))
    return exchange;
  return withBody(exchange, Buffer.concat(rewritten.map(bytesOf)));
}

/** An event with its JSON data edited; the same event if the data are not JSON, or the edit does not apply. */
export function editFrame(frame: StreamFrame, edit: Edit): StreamFrame {
  const value = frameData(frame);
  if (value === undefined) return frame;
  const changed = edit(value);
  return changed === value ? frame : frameWithData(frame.event, JSON.stringify(changed));
}

/** The JSON that an event carries; undefined if its data are not JSON. */
export function frameData({ data }: StreamFrame): Json | undefined {
  try {
    return JSON.parse(data) as Json; // as: JSON.parse gives exactly Json, the library types it any
  } catch {
    return undefined;
  }
}

/** A new event. */
export function frameWithData(event: string, data: string): StreamFrame {
  return { event, data, bytes: null };
}

function frameOf({ event, data, start, end }: SseEvent, content: Uint8Array): StreamFrame {
  return { event, data, bytes: content.subarray(start, end) };
}

function bytesOf({ event, data, bytes }: StreamFrame): Uint8Array {
  if (bytes !== null) return bytes;
  const name = event === '' ? '' : `event: ${event}\n`;
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return Buffer.from(`${name}${lines.join('')}\n`);
}
