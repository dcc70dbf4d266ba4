import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DISTURBED_FIELD } from '../../exchange/disturbed.ts';
import { readEvents } from '../../exchange/http/sse-reader.ts';
import { MIN_REUSED_LENGTH, streamedText } from '../../exchange/http/streamed-text.ts';
import { abortResponse, resetInTurn, withoutFields } from '../http/response.ts';
import type { Disturbance } from './disturbances.ts';

export interface ServiceAnswer {
  readonly status: number;
  /** Alternating names and values, as on the wire. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** How `slow-pieces` splits a body; the pieces are larger if there would otherwise be more than `maxCount`. */
const SMALL_PIECES = { bytes: 7, pauseMs: 2, maxCount: 200 } as const;
const EVENTS_BEFORE_DUPLICATE = 2;
/** Fields that are not passed on: they frame the service's body, or concern the connection to the service. */
const FRAMING_FIELDS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

const REFUSALS: Readonly<
  Record<
    string,
    { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  >
> = {
  'rate-limit': { status: 429, headers: { 'retry-after': '1' } },
  'rate-limit-bare': { status: 429 },
  'error-500': { status: 500 },
  'error-500-thrice': { status: 500 },
  'error-503': { status: 503 },
  'error-503-thrice': { status: 503 },
  'html-error': {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
  },
  unauthorized: { status: 401 },
};

export function isRefusal({ name }: Disturbance): boolean {
  return Object.hasOwn(REFUSALS, name);
}

export function sendRefusal(res: ServerResponse, { name }: Disturbance): void {
  const { status = 500, headers = {}, body } = REFUSALS[name] ?? {};
  const text = body ?? JSON.stringify({ error: { message: `Disturbed: ${name}.`, type: 'server_error' } });
  res.writeHead(status, { 'content-type': 'application/json', ...headers, [DISTURBED_FIELD]: name });
  res.end(text);
}

export async function sendDisturbed(
  res: ServerResponse,
  disturbance: Disturbance,
  answer: ServiceAnswer,
): Promise<void> {
  const { name, milliseconds } = disturbance;
  const half = answer.body.subarray(0, Math.ceil(answer.body.length / 2));
  if (name === 'reset') {
    resetInTurn(res);
    return;
  }
  if (name === 'slow-first-byte') await pause(milliseconds);
  writeHead(res, answer, name);
  if (name === 'slow-first-byte') res.end(answer.body);
  else if (name === 'truncated-json') res.end(half);
  else if (name === 'slow-pieces') await sendInPieces(res, answer.body);
  else if (name === 'reset-in-body' || name === 'stall') {
    await writePiece(res, half);
    if (name === 'stall') await pause(milliseconds);
    abortResponse(res);
  } else await sendDisturbedStream(res, answer.body, disturbance);
}

function writeHead(res: ServerResponse, { status, headers }: ServiceAnswer, name: string): void {
  const kept = withoutFields(headers, (field) => FRAMING_FIELDS.has(field.toLowerCase()));
  res.writeHead(status, [...kept, DISTURBED_FIELD, name]);
}

async function sendInPieces(res: ServerResponse, body: Buffer): Promise<void> {
  const size = Math.max(SMALL_PIECES.bytes, Math.ceil(body.length / SMALL_PIECES.maxCount));
  for (let i = 0; i < body.length && !res.destroyed; i += size) {
    res.write(body.subarray(i, i + size));
    await pause(SMALL_PIECES.pauseMs);
  }
  res.end();
}

async function sendDisturbedStream(
  res: ServerResponse,
  body: Buffer,
  disturbance: Disturbance,
): Promise<void> {
  const { name } = disturbance;
  const { passing, remaining } = divideStream(body, disturbance);
  if (name === 'duplicate-event') res.end([...passing, ...passing.slice(-1), ...remaining].join(''));
  else if (name === 'error-event')
    res.end(
      `${passing.join('')}event: error\ndata: {"error":{"message":"Disturbed.","type":"server_error"}}\n\n`,
    );
  else {
    await writePiece(res, passing.join(''));
    abortResponse(res);
  }
}

/** Resolves when the system has the piece, because closing the connection earlier would discard it. */
function writePiece(res: ServerResponse, piece: Buffer | string): Promise<void> {
  return new Promise((resolve) => {
    res.write(piece, () => resolve());
  });
}

export function divideStream(body: Buffer, { name, after }: Disturbance) {
  const events = body
    .toString('utf8')
    .split(/(?<=\r?\n\r?\n)/)
    .filter((text) => text.trim() !== '');
  const count = after ?? (name === 'duplicate-event' ? EVENTS_BEFORE_DUPLICATE : countBeforeCut(events));
  return { passing: events.slice(0, count), remaining: events.slice(count) };
}

/** Half of the events, or more if that half contains too little text to be recognised in a later request. */
function countBeforeCut(events: readonly string[]): number {
  let count = Math.ceil(events.length / 2);
  let text = textOfEvents(events.slice(0, count));
  for (; count < events.length - 1 && text.trim().length < MIN_REUSED_LENGTH; count += 1)
    text += textOfEvents(events.slice(count, count + 1));
  return count;
}

export function textOfEvents(events: readonly string[]): string {
  const stream = readEvents(Buffer.from(events.join('')));
  return (stream?.events ?? []).map(({ json }) => streamedText(json?.value)).join('');
}
