import { isObject } from '../../schemas/json.ts';
import { byDistance, editDistance } from '../../schemas/nearest-names.ts';
import { ConfigurationError } from './configuration.ts';

/** The value of an option. `where` is its source as messages name it: `--timeout`, `ASSAY_TIMEOUT`, `timeout in assay.config.json`. */
export interface OptionValue {
  readonly value: unknown;
  readonly where: string;
}

/** Converts the value of an option. Throws ConfigurationError. */
export type OptionReader<T> = (given: OptionValue) => T;

/** Reads a text that is not blank, without surrounding space. */
export const readNonBlank: OptionReader<string> = (given) => {
  if (typeof given.value === 'string' && given.value.trim() !== '') return given.value.trim();
  throw invalidOption(given, 'a text');
};

/** Reads a boolean, or one of 1, true, 0 and false. */
export const readBoolean: OptionReader<boolean> = (given) => {
  if (typeof given.value === 'boolean') return given.value;
  if (given.value === '1' || given.value === 'true') return true;
  if (given.value === '0' || given.value === 'false') return false;
  throw invalidOption(given, 'true or false');
};

/** Longest accepted duration, in seconds: node timers overflow after 24 days, and fire at once. */
export const MAX_DURATION = 86_400;

/** Reads a duration of `min` seconds to one day. */
export function readDuration(min: number): OptionReader<number> {
  const readSeconds = readNumber(min, 'any', ' of seconds');
  return (given) => {
    const value = readSeconds(given);
    if (value <= MAX_DURATION) return value;
    throw invalidOption(given, `a number of seconds, ${min} to ${MAX_DURATION}`);
  };
}

/** Reads a number of at least `min`. Messages append `unit`. */
export function readNumber(min: number, kind: 'whole' | 'any', unit = ''): OptionReader<number> {
  return (given) => {
    const value =
      typeof given.value === 'string' && given.value.trim() !== '' ? Number(given.value) : given.value;
    const fits = typeof value === 'number' && Number.isFinite(value) && value >= min;
    if (fits && (kind === 'any' || Number.isInteger(value))) return value;
    throw invalidOption(given, `${kind === 'whole' ? 'a whole number' : 'a number'}${unit}, ${min} or more`);
  };
}

export function readOneOf<T extends string>(names: readonly T[]): OptionReader<T> {
  return (given) => {
    const found = names.find((name) => name === given.value);
    if (found !== undefined) return found;
    throw invalidOption(given, `one of ${names.join(', ')}${didYouMean(given.value, names)}`);
  };
}

/** Reads a list of texts, or one text with separators. */
export function readList(separator: RegExp = /[,\n]/): OptionReader<readonly string[]> {
  return (given) => {
    const parts = Array.isArray(given.value) ? given.value : [given.value];
    if (!parts.every((part): part is string => typeof part === 'string'))
      throw invalidOption(given, 'a list of texts');
    return parts
      .flatMap((part) => part.split(separator))
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
}

export function readSeveral<T extends string>(names: readonly T[]): OptionReader<readonly T[]> {
  const readName = readOneOf(names);
  return (given) => readList()(given).map((value) => readName({ ...given, value }));
}

/** Reads names with values: an object, or texts `name<separator>value`. */
export function readPairs(
  separator: ':' | '=',
  listSeparator: RegExp,
): OptionReader<readonly (readonly [string, string])[]> {
  return (given) => {
    if (isObject(given.value)) {
      return Object.entries(given.value).map(
        ([name, value]) => [name, readNonBlank({ ...given, value })] as const,
      );
    }
    return readList(listSeparator)(given).map((part) => {
      const at = part.indexOf(separator);
      if (at < 1) throw invalidOption({ ...given, value: part }, `name${separator}value`);
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
    });
  };
}

/** The error for an invalid value; `wanted` describes valid ones. */
export function invalidOption(given: OptionValue, wanted: string): ConfigurationError {
  // Long values are cut: a pasted key file must not end up in logs.
  const shown = JSON.stringify(given.value) ?? 'nothing';
  const found = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  return new ConfigurationError(`${given.where} is ${found}; it takes ${wanted}.`);
}

/** Returns ` (did you mean x?)` for the nearest name if its edit distance is at most two; otherwise an empty text. */
export function didYouMean(value: unknown, names: readonly string[]): string {
  if (typeof value !== 'string') return '';
  const distance = (name: string) => editDistance(value.toLowerCase(), name.toLowerCase());
  const [nearest] = byDistance(names, distance);
  return nearest === undefined || distance(nearest) > 2 ? '' : ` (did you mean ${nearest}?)`;
}
