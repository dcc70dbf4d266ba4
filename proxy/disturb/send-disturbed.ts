// Sends one answer of a service to a client, spoiled in one way.
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DISTURBED_FIELD, SHORTEST_HALF } from '../../exchange/disturbed.ts';
import type { Json } from '../../exchange/http/body.ts';
import { streamedText } from '../../exchange/http/event-stream.ts';
import { resetConnection } from '../http/response.ts';
import type { Disturbance } from './disturbances.ts';

/** An answer as the service gave it. */
export interface ServiceAnswer {
  readonly status: number;
  /** Name and value in turn, as on the wire. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Bytes of a small piece, and milliseconds between two of them; at most so many pieces. */
const PIECES = { size: 7, every: 2, most: 200 } as const;

/** Fields that say how a body is framed: what is sent differs. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/** Whether a disturbance refuses a request in place of the service, which is then not asked. */
export function isRefusal({ name }: Disturbance): boolean {
  return refusalOf(name) !== undefined;
}

/** Refuses a request in place of the service. */
export function sendRefusal(res: ServerResponse, { name }: Disturbance): void {
  const { status = 500, headers = {}, body } = refusalOf(name) ?? {};
  const text = body ?? JSON.stringify({ error: { message: `Disturbed: ${name}.`, type: 'server_error' } });
  res.writeHead(status, { 'content-type': 'application/json', ...headers, [DISTURBED_FIELD]: name });
  res.end(text);
}

/** Sends the answer with the disturbance; resolves when nothing more will be sent. */
export async function sendDisturbed(
  res: ServerResponse,
  disturbance: Disturbance,
  answer: ServiceAnswer,
): Promise<void> {
  const { name } = disturbance;
  if (name === 'reset') resetConnection(res);
  else if (name === 'slow-first-byte') {
    await pause(disturbance.milliseconds);
    sendWhole(res, answer, name);
  } else if (name === 'slow-pieces') await inPieces(res, answer, name);
  else if (name === 'truncated-json') sendWhole(res, { ...answer, body: half(answer.body) }, name);
  else if (name === 'reset-in-body' || name === 'stall') await cutBody(res, answer, disturbance);
  else await spoilStream(res, answer, disturbance);
}

/** An answer that takes the place of the service's. */
interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The refusal of a disturbance; those that come three times are like those that come once. */
function refusalOf(name: string): Refusal | undefined {
  return REFUSALS[name.replace(/-thrice$/, '')];
}

/** By name of the disturbance. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  'rate-limit': { status: 429, headers: { 'retry-after': '1' } },
  'rate-limit-bare': { status: 429 },
  'error-500': { status: 500 },
  'error-503': { status: 503 },
  'html-error': {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
  },
  unauthorized: { status: 401 },
};

/** The head of an answer without its framing, and with the mark. */
function writeHead(res: ServerResponse, { status, headers }: ServiceAnswer, name: string): void {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (!FRAMING.has((headers[i] ?? '').toLowerCase())) kept.push(headers[i] ?? '', headers[i + 1] ?? '');
  res.writeHead(status, [...kept, DISTURBED_FIELD, name]);
}

/** The body as it is given, and its length. */
function sendWhole(res: ServerResponse, answer: ServiceAnswer, name: string): void {
  writeHead(res, answer, name);
  res.end(answer.body);
}

/** The first half, at least one byte. */
function half(body: Buffer): Buffer {
  return body.subarray(0, Math.ceil(body.length / 2));
}

async function inPieces(res: ServerResponse, answer: ServiceAnswer, name: string): Promise<void> {
  writeHead(res, answer, name);
  const size = Math.max(PIECES.size, Math.ceil(answer.body.length / PIECES.most));
  for (let i = 0; i < answer.body.length && !res.destroyed; i += size) {
    res.write(answer.body.subarray(i, i + size));
    await pause(PIECES.every);
  }
  res.end();
}

/** Half of the body, then the end of the connection; with a stall in between where that is asked for. */
async function cutBody(res: ServerResponse, answer: ServiceAnswer, disturbance: Disturbance): Promise<void> {
  writeHead(res, answer, disturbance.name);
  await written(res, half(answer.body));
  if (disturbance.name === 'stall') await pause(disturbance.milliseconds);
  res.destroy();
}

/** A stream as its events, with some of them lost, repeated or replaced. */
async function spoilStream(
  res: ServerResponse,
  answer: ServiceAnswer,
  disturbance: Disturbance,
): Promise<void> {
  const { name } = disturbance;
  const { first, rest } = streamPieces(answer.body, disturbance);
  writeHead(res, answer, name);
  if (name === 'duplicate-event') res.end([...first, ...first.slice(-1), ...rest].join(''));
  else if (name === 'error-event')
    res.end(
      `${first.join('')}event: error\ndata: {"error":{"message":"Disturbed.","type":"server_error"}}\n\n`,
    );
  else {
    await written(res, first.join(''));
    res.destroy();
  }
}

/** Resolves when a piece has left the process, so that the cut behind it does not swallow it. */
function written(res: ServerResponse, piece: Buffer | string): Promise<void> {
  return new Promise((resolve) => {
    res.write(piece, () => resolve());
  });
}

// The events of a stream, divided where it is spoiled.

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
