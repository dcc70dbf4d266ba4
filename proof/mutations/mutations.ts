import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { operationOf } from '../../judge/trace/call.ts';
import { responseClassOf } from '../../judge/trace/response-class.ts';
import {
  editedTrace,
  editFrame,
  frameData,
  frameWithData,
  type StreamFrame,
  withBody,
  withEvents,
  withHeader,
  withJsonResponse,
  withResponseJson,
  withStatus,
} from './exchanges.ts';
import { allEdits, type Edit, type NewValue, removeValue, setValue } from './values.ts';

/** Changes one exchange; returns the same object if it does not apply. */
export type ExchangeEdit = (exchange: Exchange) => Exchange;

/** Edits every successful exchange of an operation; the mutation returns null if that changes none. */
export function inEveryResponse(operation: string, edit: ExchangeEdit): Mutation {
  return (trace) =>
    editedTrace(trace, (exchange) => (isSuccessOf(exchange, operation) ? edit(exchange) : exchange));
}

/** Edits every successful JSON response of an operation; several edits are applied in order. */
export function inResponse(operation: string, ...edits: readonly Edit[]): Mutation {
  const edit = allEdits(...edits);
  return inEveryResponse(operation, (exchange) => withResponseJson(exchange, edit));
}

/** Sets a value, or a function of the old one, at a pointer in every successful JSON response of an operation. */
export function setIn(operation: string, pointer: string, value: NewValue): Mutation {
  return inResponse(operation, setValue(pointer, value));
}

/** Like `setIn`, for several pointers. Example: `setAllIn('createBatch', { '/status': 'failed', '/errors': null })`. */
export function setAllIn(operation: string, values: Readonly<Record<string, NewValue>>): Mutation {
  return inResponse(operation, ...Object.entries(values).map(([pointer, value]) => setValue(pointer, value)));
}

/** Removes the values at these pointers from every successful JSON response of an operation. */
export function removeIn(operation: string, ...pointers: readonly string[]): Mutation {
  return inResponse(operation, ...pointers.map(removeValue));
}

/** Edits every successful JSON response of an operation whose exchange matches. */
export function inResponseWhere(
  operation: string,
  fits: (exchange: Exchange) => boolean,
  ...edits: readonly Edit[]
): Mutation {
  const edit = allEdits(...edits);
  return inEveryResponse(operation, (exchange) =>
    fits(exchange) ? withResponseJson(exchange, edit) : exchange,
  );
}

export type EventPicker = (frames: readonly StreamFrame[]) => readonly number[];

/** Picks the first event of a stream. */
export const firstEvent: EventPicker = (frames) => (frames.length > 0 ? [0] : []);
/** Picks the last event of a stream. */
export const lastEvent: EventPicker = (frames) => (frames.length > 0 ? [frames.length - 1] : []);

/** Picks events with JSON data that satisfies a condition. */
export function eventsWhere(fits: (data: Json, event: string) => boolean): EventPicker {
  return (frames) =>
    frames.flatMap((frame, i) => {
      const value = frameData(frame);
      return value !== undefined && fits(value, frame.event) ? [i] : [];
    });
}

/** Picks the first of the events that another picker picks. */
export function firstPicked(pick: EventPicker): EventPicker {
  return (frames) => pick(frames).slice(0, 1);
}

/** Picks the last of the events that another picker picks. */
export function lastPicked(pick: EventPicker): EventPicker {
  return (frames) => pick(frames).slice(-1);
}

/** Edits the JSON data of events in every successful stream of an operation. */
export function inEvent(operation: string, pick: EventPicker, edit: Edit): Mutation {
  return inPicked(operation, pick, (frame) => [editFrame(frame, edit)]);
}

/** Replaces each picked event with others, in every successful stream of an operation. */
export function inPicked(
  operation: string,
  pick: EventPicker,
  change: (frame: StreamFrame) => readonly StreamFrame[],
): Mutation {
  return inEvents(operation, (frames) => {
    const picked = new Set(pick(frames));
    return frames.flatMap((frame, i) => (picked.has(i) ? change(frame) : [frame]));
  });
}

/** Sets a value at a pointer in the data of events, in every successful stream of an operation. */
export function setInEvent(operation: string, pick: EventPicker, pointer: string, value: NewValue): Mutation {
  return inEvent(operation, pick, setValue(pointer, value));
}

/** Removes events from every successful stream of an operation. */
export function dropEvent(operation: string, pick: EventPicker): Mutation {
  return inPicked(operation, pick, () => []);
}

/** Repeats each picked event directly after itself, in every successful stream of an operation. */
export function duplicateEvent(operation: string, pick: EventPicker): Mutation {
  return inPicked(operation, pick, (frame) => [frame, frame]);
}

/** Appends an event to every successful stream of an operation. */
export function appendEvent(operation: string, event: string, data: Json): Mutation {
  const frame = frameWithData(event, typeof data === 'string' ? data : JSON.stringify(data));
  return inEvents(operation, (frames) => [...frames, frame]);
}

/** Moves events to the front or the back of every successful stream of an operation. */
export function moveEvent(operation: string, pick: EventPicker, to: 'front' | 'back'): Mutation {
  return inEvents(operation, (frames) => {
    const picked = new Set(pick(frames));
    const moved = frames.filter((_, i) => picked.has(i));
    const others = frames.filter((_, i) => !picked.has(i));
    return to === 'front' ? [...moved, ...others] : [...others, ...moved];
  });
}

/** Rewrites the events of every successful stream of an operation. */
export function inEvents(
  operation: string,
  rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
): Mutation {
  return inEveryResponse(operation, (exchange) => withEvents(exchange, rewrite));
}

/** Replaces the status of every successful response of an operation. */
export function withStatusOf(operation: string, code: number): Mutation {
  return inEveryResponse(operation, (exchange) => withStatus(exchange, code));
}

/** Sets a header of every successful response of an operation; null removes it. */
export function setHeader(operation: string, name: string, value: string | null): Mutation {
  return inEveryResponse(operation, (exchange) => withHeader(exchange, name, value));
}

/** Changes the bytes of every successful response of an operation. */
export function changeBytes(operation: string, change: (content: Uint8Array) => Uint8Array): Mutation {
  return inEveryResponse(operation, (exchange) => {
    const content = exchange.response === null ? null : decodedContent(exchange.response);
    return content?.bytes == null ? exchange : withBody(exchange, change(content.bytes));
  });
}

/** Replaces every 4xx or 5xx response of an operation with a success that has the given JSON. */
export function succeedInstead(operation: string, json: (exchange: Exchange) => Json): Mutation {
  return inEveryCall(operation, (exchange) =>
    (exchange.response?.status ?? 0) >= 400 ? withJsonResponse(exchange, 200, json(exchange)) : exchange,
  );
}

/** Whether a request calls the operation, whatever the response. */
export function callsOperation(exchange: Exchange, operation: string): boolean {
  return operationOf(exchange.request)?.operation.id === operation;
}

/** Whether an exchange is a call of the operation with a 2xx response that is not a stream beginning with an error. */
export function isSuccessOf(exchange: Exchange, operation: string): boolean {
  return callsOperation(exchange, operation) && responseClassOf(exchange) === 'accepted';
}

/** Replaces the JSON of each successful response of the operation with that of the next; the last gets the first. */
export function swapResponses(operation: string): Mutation {
  return (trace) => {
    const answers = trace
      .filter((exchange) => isSuccessOf(exchange, operation))
      .map(({ response }) => jsonContent(response));
    let next = 1;
    return editedTrace(trace, (exchange) => {
      if (!isSuccessOf(exchange, operation)) return exchange;
      const answer = answers[next++ % answers.length];
      return answer === undefined ? exchange : withResponseJson(exchange, () => answer);
    });
  };
}

/** Edits the last successful JSON response to a repeated target. `edit` gets the first response to the same target. */
export function inLastResponse(operation: string, edit: (first: Json) => Edit): Mutation {
  return (trace) => {
    const answers = trace.filter(
      (exchange) => isSuccessOf(exchange, operation) && jsonContent(exchange.response) !== undefined,
    );
    const firstOf = ({ request }: Exchange) => answers.find((one) => one.request.target === request.target);
    const last = answers.findLast((exchange) => firstOf(exchange) !== exchange);
    const first = last && jsonContent(firstOf(last)?.response ?? null);
    if (first === undefined) return null;
    return editedTrace(trace, (exchange) =>
      exchange === last ? withResponseJson(exchange, edit(first)) : exchange,
    );
  };
}

/** Edits every exchange of an operation, whatever its outcome; the mutation returns null if that changes none. */
export function inEveryCall(operation: string, edit: ExchangeEdit): Mutation {
  return (trace) =>
    editedTrace(trace, (exchange) => (callsOperation(exchange, operation) ? edit(exchange) : exchange));
}
