// Commander puts the flag and its value before the messages of these parsers.
import { InvalidArgumentError } from 'commander';
import { didYouMean, MAX_DURATION } from '../../drive/configuration/option-readers.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { Selection } from '../../reference/choices/selection.ts';

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

/** Where one `ID=ALTERNATIVE` ends and the next begins: alternatives contain commas too, ids contain a point. */
const BETWEEN = /,(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+=)/;

/**
 * The alternatives that `--choices` names: `contrary`, `random:SEED`, or `ID=ALTERNATIVE`, several of them separated by commas.
 * @throws UsageError with the nearest name where a choice or an alternative does not exist.
 */
export async function readChoices(text: string): Promise<Selection> {
  const { contrarySelection, namedSelection, randomSelection, UnknownAlternative } = await import(
    '../../reference/choices/selection.ts'
  );
  if (text === 'contrary') return contrarySelection();
  const seed = /^random:(\d+)$/.exec(text)?.[1];
  if (seed !== undefined) return randomSelection(Number(seed));
  try {
    return namedSelection(text.split(BETWEEN).map(readPair));
  } catch (error) {
    if (!(error instanceof UnknownAlternative)) throw error;
    const { message, given, known } = error;
    throw new UsageError(`${message}${didYouMean(given, known)}. ${hintOf(known)}`);
  }
}

/** One `ID=ALTERNATIVE`. @throws UsageError for any other text. */
function readPair(text: string): readonly [string, string] {
  const [, id, alternative] = /^([^=]+)=(.+)$/s.exec(text.trim()) ?? [];
  if (id !== undefined && alternative !== undefined) return [id, alternative];
  throw new UsageError(
    `--choices is ${JSON.stringify(text)}; it takes contrary, random:SEED or ID=ALTERNATIVE. ${LIST}`,
  );
}

const LIST = 'Run assay serve --choices list to see all choices.';

/** The alternatives where they are few; else the command that lists all choices. */
function hintOf(known: readonly string[]): string {
  return known.length > 12 ? LIST : `It has: ${known.map((name) => `'${name}'`).join(', ')}.`;
}
