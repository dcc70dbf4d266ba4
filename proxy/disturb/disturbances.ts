import { tryParseJson } from '../../schemas/json.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';

export interface DisturbanceKind {
  readonly name: string;
  readonly says: string;
  /** The response that it disturbs: `body` is one with 2xx that is not a stream, `stream` one with 2xx that is. */
  readonly needs: 'any' | 'body' | 'stream';
  /** Number of attempts of one request that are disturbed: 3 for the first and two retries. */
  readonly times: number;
}

export interface Disturbance extends DisturbanceKind {
  /** Beginning of the request line, such as `POST /v1/chat/completions`; null for any request. */
  readonly on: string | null;
  /** Number of events that pass before a stream is disturbed; null for the default of the disturbance. */
  readonly after: number | null;
  /** Duration of a stall, or delay of a slow first byte, in milliseconds. */
  readonly milliseconds: number;
}

export class InvalidDisturbance extends Error {
  override readonly name = 'InvalidDisturbance';
}

const DEFAULT_PAUSE_MS = 500;
const MAX = { milliseconds: 60_000, after: 1000, times: 100 } as const;

export const DISTURBANCES: readonly DisturbanceKind[] = [
  { name: 'rate-limit', says: '429 with Retry-After: 1', needs: 'any', times: 1 },
  { name: 'rate-limit-bare', says: '429 without Retry-After', needs: 'any', times: 1 },
  { name: 'error-500', says: '500 once', needs: 'any', times: 1 },
  { name: 'error-500-thrice', says: '500 three times', needs: 'any', times: 3 },
  { name: 'error-503', says: '503 once', needs: 'any', times: 1 },
  { name: 'error-503-thrice', says: '503 three times', needs: 'any', times: 3 },
  { name: 'reset', says: 'forwards the request, then resets the connection', needs: 'any', times: 1 },
  { name: 'reset-in-body', says: 'closes the connection in the middle of a body', needs: 'body', times: 1 },
  { name: 'cut-stream', says: 'breaks a stream off after some events', needs: 'stream', times: 1 },
  { name: 'stall', says: 'sends half a body, pauses, then closes the connection', needs: 'body', times: 1 },
  { name: 'slow-pieces', says: 'sends the body in small pieces', needs: 'body', times: 1 },
  { name: 'truncated-json', says: 'sends half a body as if it were complete', needs: 'body', times: 1 },
  { name: 'error-event', says: 'ends a stream with an error event', needs: 'stream', times: 1 },
  { name: 'html-error', says: '502 with an HTML page', needs: 'any', times: 1 },
  { name: 'duplicate-event', says: 'sends an event of a stream twice', needs: 'stream', times: 1 },
  { name: 'unauthorized', says: '401 once', needs: 'any', times: 1 },
  { name: 'slow-first-byte', says: 'sends the first byte late', needs: 'any', times: 1 },
];

export function readDisturbances(text: string): readonly Disturbance[] {
  if (!text.trimStart().startsWith('['))
    return text.split(',').map((name) => readDisturbance({ name: name.trim() }));
  const rows = tryParseJson(text);
  if (!Array.isArray(rows)) throw new InvalidDisturbance('The file of disturbances is not valid JSON.');
  return rows.map((row: unknown) => readDisturbance(row));
}

function readDisturbance(row: unknown): Disturbance {
  if (typeof row !== 'object' || row === null || !('name' in row))
    throw new InvalidDisturbance(
      `${JSON.stringify(row)} is not an object with the name of a disturbance, such as {"name":"reset"}.`,
    );
  const fields: Readonly<Record<string, unknown>> = { ...row };
  const { name, on = null, after = null, milliseconds = DEFAULT_PAUSE_MS, times } = fields;
  const names = DISTURBANCES.map((kind) => kind.name);
  const kind = DISTURBANCES.find((candidate) => candidate.name === name);
  if (kind === undefined)
    throw new InvalidDisturbance(
      `Unknown disturbance ${JSON.stringify(name)}${suggestNames(String(name), names)}. --disturb list prints all.`,
    );
  if (on !== null && typeof on !== 'string')
    throw invalidField(kind.name, 'on', 'the beginning of a request line');
  // The last event that passes is the one that is sent twice.
  const minAfter = kind.name === 'duplicate-event' ? 1 : 0;
  return {
    ...kind,
    on,
    after: after === null ? null : readWholeNumber(kind.name, 'after', after, MAX.after, minAfter),
    milliseconds: readWholeNumber(kind.name, 'milliseconds', milliseconds, MAX.milliseconds),
    times: readWholeNumber(kind.name, 'times', times ?? kind.times, MAX.times, 1),
  };
}

function readWholeNumber(name: string, field: string, value: unknown, max: number, min = 0): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidField(name, field, `a whole number from ${min} to ${max}`);
}

function invalidField(name: string, field: string, expected: string): InvalidDisturbance {
  return new InvalidDisturbance(`Disturbance ${name}: ${field} must be ${expected}.`);
}
