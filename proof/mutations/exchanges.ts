import type { Exchange, HeaderPairs, HttpResponse } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { withContentLength } from '../../exchange/http/headers.ts';
import { tryParseJson } from '../../schemas/json.ts';
import type { Edit } from './values.ts';

/** Null if the edit changes no exchange. */
export function editedTrace(
  trace: readonly Exchange[],
  edit: (exchange: Exchange) => Exchange,
): readonly Exchange[] | null {
  const edited = trace.map(edit);
  return edited.some((exchange, i) => exchange !== trace[i]) ? edited : null;
}

/** Replaces the body of the response, removes its coding and corrects its length, so that the headers fit the body. */
export function withBody(exchange: Exchange, content: Uint8Array | string): Exchange {
  return withResponse(exchange, (response) => {
    const at = response.pieces[0]?.at ?? exchange.end.at;
    return { ...withContent(response, content), pieces: [{ offset: 0, at }] };
  });
}

/** Edits the JSON of the response; returns the same exchange if it has none, or if the edit does not apply. */
export function withResponseJson(exchange: Exchange, edit: Edit): Exchange {
  const json = jsonContent(exchange.response);
  if (json === undefined) return exchange;
  const edited = edit(json);
  return edited === json ? exchange : withBody(exchange, JSON.stringify(edited));
}

/** Replaces the status of the response and keeps its body. */
export function withStatus(exchange: Exchange, status: number): Exchange {
  return withResponse(exchange, (response) => ({ ...response, status, reason: '' }));
}

/** Sets a header of the response; null removes all headers with this name. */
export function withHeader(exchange: Exchange, name: string, value: string | null): Exchange {
  return withResponse(exchange, (response) => ({
    ...response,
    headers: withField(response.headers, name, value),
  }));
}

/** Replaces status and body of the response, and makes it JSON; returns the same exchange if it has no response. */
export function withJsonResponse(exchange: Exchange, status: number, json: Json): Exchange {
  const withType = withHeader(exchange, 'content-type', 'application/json');
  return withStatus(withBody(withType, JSON.stringify(json)), status);
}

export function withResponse(exchange: Exchange, change: (response: HttpResponse) => HttpResponse): Exchange {
  return exchange.response === null ? exchange : { ...exchange, response: change(exchange.response) };
}

/** Replaces the body of a message, removes its `Content-Encoding`, and corrects its `Content-Length`, if any. */
export function withContent<T extends Pick<HttpResponse, 'headers' | 'body'>>(
  message: T,
  content: Uint8Array | string,
): T {
  const body = Body.from(content);
  const headers = withField(message.headers, 'content-encoding', null);
  return { ...message, headers: withContentLength(headers, body.size), body };
}

export function withField(headers: HeaderPairs, name: string, value: string | null): HeaderPairs {
  const others = headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return value === null ? others : [...others, [name, value]];
}

export interface StreamFrame {
  /** Name of the event; empty without one. */
  readonly event: string;
  /** The data lines of the event, joined. */
  readonly data: string;
  /** Original bytes; null for a changed or new frame. */
  readonly bytes: Uint8Array | null;
}

/** Rewrites the events of a stream and drops the bytes after them; returns the same exchange if nothing changes. */
export function withEvents(
  exchange: Exchange,
  rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
): Exchange {
  const { response } = exchange;
  const stream = response === null ? null : eventsOf(response);
  const content = response === null ? null : (decodedContent(response)?.bytes ?? null);
  if (stream === null || content === null) return exchange;
  const frames = stream.events.map(({ event, data, start, end }) => ({
    event,
    data,
    bytes: content.subarray(start, end),
  }));
  const rewritten = rewrite(frames);
  if (rewritten.length === frames.length && rewritten.every((frame, i) => frame === frames[i]))
    return exchange;
  return withBody(exchange, Buffer.concat(rewritten.map(bytesOf)));
}

/** Edits the data of a frame; returns the same frame if its data is not JSON, or the edit does not apply. */
export function editFrame(frame: StreamFrame, edit: Edit): StreamFrame {
  const value = frameData(frame);
  if (value === undefined) return frame;
  const edited = edit(value);
  return edited === value ? frame : frameWithData(frame.event, JSON.stringify(edited));
}

/** The JSON data of a frame; undefined if its data is not JSON. */
export function frameData({ data }: StreamFrame): Json | undefined {
  return tryParseJson(data);
}

/** Creates an event of a stream; an empty name stands for none. */
export function frameWithData(event: string, data: string): StreamFrame {
  return { event, data, bytes: null };
}

function bytesOf({ event, data, bytes }: StreamFrame): Uint8Array {
  if (bytes !== null) return bytes;
  const name = event === '' ? '' : `event: ${event}\n`;
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return Buffer.from(`${name}${lines.join('')}\n`);
}
