// Commander prints the flag and its value before the messages of these parsers.
import { InvalidArgumentError } from 'commander';
import { MAX_DURATION } from '../../drive/configuration/option-readers.ts';
import { isJsonPointer } from '../../schemas/pointer.ts';

/** Maximum number of judging threads, each of which holds all requirements. */
const MAX_JOBS = 64;
const MAX_PARTS = 10_000;
/** About 270 years; a `Date` cannot exceed a hundred million days. */
const MAX_DAYS = 100_000;

function parsePort(text: string): number {
  return parseInteger(text, 0, 65_535, 'It takes a port number, 0 (any free one) to 65535.');
}

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port = ''] = /^(?:(\[[\da-f:]+\]|[^:\s]+):)?(\d+)$/i.exec(text) ?? [];
  if (port === '') throw new InvalidArgumentError('It takes HOST:PORT, or a port of 127.0.0.1.');
  return { host: host.replace(/^\[|\]$/g, ''), port: parsePort(port) };
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= MAX_DURATION) return value;
  throw new InvalidArgumentError(`It takes a duration in seconds, such as 0.5, up to ${MAX_DURATION}.`);
}

function collectRepeated(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text];
}

function parseText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty. Give it a value, or leave the option out.');
}

/** Throws InvalidArgumentError unless the text is a JSON pointer; without a leading slash, it would match nothing. */
function collectPointers(text: string, previous: readonly string[] = []): readonly string[] {
  if (isJsonPointer(text)) return collectRepeated(text, previous);
  throw new InvalidArgumentError(
    'It takes a JSON pointer, such as /metadata/id, * for any member, ~0 for ~, ~1 for /.',
  );
}

/** Accepts only digits, because `Number` would also accept `0x10`, `1e3` and an empty text. */
function parseInteger(text: string, min: number, max: number, message: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(message);
}

function parsePace(text: string): number {
  if (text === 'instant') return Number.POSITIVE_INFINITY;
  if (text === 'recorded') return 1;
  const times = Number(/^x(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (times > 0) return times;
  throw new InvalidArgumentError('It takes recorded, instant, or xN such as x10.');
}

export const PARSERS = {
  port: parsePort,
  address: parseAddress,
  count: (text: string) => parseInteger(text, 0, Number.MAX_SAFE_INTEGER, 'It takes a whole number.'),
  jobs: (text: string) => parseInteger(text, 1, MAX_JOBS, `It takes a whole number, 1 to ${MAX_JOBS}.`),
  parts: (text: string) => parseInteger(text, 1, MAX_PARTS, `It takes a whole number, 1 to ${MAX_PARTS}.`),
  days: (text: string) =>
    parseInteger(text, 0, MAX_DAYS, `It takes a whole number of days, up to ${MAX_DAYS}.`),
  seconds: parseSeconds,
  pace: parsePace,
  text: parseText,
  repeated: collectRepeated,
  texts: (text: string, previous?: readonly string[]) => collectRepeated(parseText(text), previous),
  pointers: collectPointers,
};
