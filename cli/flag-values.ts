import { InvalidArgumentError } from 'commander';
import { MAX_DURATION } from '../drive/configuration/option-readers.ts';
import { UsageError } from '../pipeline/usage-error.ts';

/** Readers of flag values for commander, which names the flag and the value found before these words. */
export function parsePort(text: string): number {
  return inRange(text, 0, 65_535, 'It takes a port number, 0 (any free one) to 65535.');
}

export function parseWholeNumber(text: string): number {
  return inRange(text, 0, Number.MAX_SAFE_INTEGER, 'It takes a whole number.');
}

export function parseSeconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= MAX_DURATION) return value;
  throw new InvalidArgumentError(`It takes a duration in seconds, such as 0.5, up to ${MAX_DURATION}.`);
}

/** The key in a variable of the environment. Throws UsageError when it is not set. */
export function keyFromVariable(name: string, flag = '--api-key-env'): string {
  const key = process.env[name]?.trim();
  if (key) return key;
  throw new UsageError(`${flag} names ${name}, which is not set.`);
}

/** For flags that may be repeated. */
export function collectRepeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** JSON pointers, for flags that may be repeated: without its slash one would point nowhere. */
export function collectPointers(text: string, before: readonly string[] = []): readonly string[] {
  if (text.startsWith('/')) return collectRepeated(text, before);
  throw new InvalidArgumentError('It takes a JSON pointer, such as /metadata/id, * for any member.');
}

function inRange(text: string, least: number, most: number, wanted: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(wanted);
}
