// The events of a stream, divided where it is spoiled.
import { SHORTEST_HALF } from '../../exchange/disturbed.ts';
import type { Json } from '../../exchange/http/body.ts';
import { streamedText } from '../../exchange/http/event-stream.ts';
import type { Disturbance } from './disturbances.ts';

/** Events that pass before one comes twice. */
const BEFORE_DUPLICATE = 2;

/** The events before and after the place where a stream is spoiled, as they are on the wire. */
export interface StreamPieces {
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

/** Divides a stream after the events that a disturbance lets pass. */
export function streamPieces(body: Buffer, { name, after }: Disturbance): StreamPieces {
  const events = body
    .toString('utf8')
    .split(/(?<=\r?\n\r?\n)/)
    .filter((text) => text.trim() !== '');
  const place = after ?? (name === 'duplicate-event' ? BEFORE_DUPLICATE : middle(events));
  return { first: events.slice(0, place), rest: events.slice(place) };
}

/** Half of the events, or more where they hold too little text to be recognized in a later request. */
function middle(events: readonly string[]): number {
  let place = Math.ceil(events.length / 2);
  while (place < events.length - 1 && textOfEvents(events.slice(0, place)).trim().length < SHORTEST_HALF)
    place += 1;
  return place;
}

/** The text that events add up to. */
export function textOfEvents(events: readonly string[]): string {
  return events
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data: {')))
    .map((line) => streamedText(jsonOf(line.slice('data: '.length))))
    .join('');
}

/** The value of a text; undefined where a service sends something else. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
