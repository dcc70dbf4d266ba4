import { InvalidArgumentError } from 'commander';
import { MAX_DURATION } from '../drive/configuration/option-readers.ts';
import { UsageError } from '../pipeline/usage-error.ts';

// Commander puts the flag and its value before the messages of these parsers.

/** A port, 0 to 65535; 0 stands for any free port. Throws InvalidArgumentError. */
export function parsePort(text: string): number {
  return inRange(text, 0, 65_535, 'It takes a port number, 0 (any free one) to 65535.');
}

/** An address to listen on: a port of 127.0.0.1, or host and port. Throws InvalidArgumentError. */
export function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port = ''] = /^(?:(\[[\da-f:]+\]|[^:\s]+):)?(\d+)$/i.exec(text) ?? [];
  if (port === '') throw new InvalidArgumentError('It takes HOST:PORT, or a port of 127.0.0.1.');
  return { host: host.replace(/^\[|\]$/g, ''), port: parsePort(port) };
}

/** A whole number from 0 on. Throws InvalidArgumentError. */
export function parseWholeNumber(text: string): number {
  return inRange(text, 0, Number.MAX_SAFE_INTEGER, 'It takes a whole number.');
}

/** Most threads of one command: each of them holds all requirements. */
const MOST_JOBS = 64;

/** A number of threads. Throws InvalidArgumentError. */
export function parseNumberOfJobs(text: string): number {
  return inRange(text, 1, MOST_JOBS, `It takes a whole number, 1 to ${MOST_JOBS}.`);
}

/** Most parts that cassettes are cut into. */
const MOST_PARTS = 10_000;

/** A number of parts. Throws InvalidArgumentError. */
export function parseNumberOfParts(text: string): number {
  return inRange(text, 1, MOST_PARTS, `It takes a whole number, 1 to ${MOST_PARTS}.`);
}

/** A duration in seconds, from 0 to a day. Throws InvalidArgumentError. */
export function parseSeconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= MAX_DURATION) return value;
  throw new InvalidArgumentError(`It takes a duration in seconds, such as 0.5, up to ${MAX_DURATION}.`);
}

/** The key in an environment variable. Throws UsageError, which names the flag, when it is not set or empty. */
export function keyFromVariable(name: string, flag = '--api-key-env'): string {
  const key = process.env[name]?.trim();
  if (key) return key;
  throw new UsageError(`${flag} names ${name}, which is not set.`);
}

/** Collects the values of a repeatable flag. */
export function collectRepeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Collects the JSON pointers of a repeatable flag. Throws InvalidArgumentError for one without its slash, which matches nothing. */
export function collectPointers(text: string, before: readonly string[] = []): readonly string[] {
  if (text.startsWith('/')) return collectRepeated(text, before);
  throw new InvalidArgumentError('It takes a JSON pointer, such as /metadata/id, * for any member.');
}

/** Digits alone are accepted: `Number` would also take `0x10`, `1e3` and the empty text, which is 0. */
function inRange(text: string, least: number, most: number, wanted: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(wanted);
}
