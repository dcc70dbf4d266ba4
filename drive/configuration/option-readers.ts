import { inspect } from 'node:util';
import { truncateText } from '../../exchange/printable.ts';
import { isObject } from '../../schemas/json.ts';
import { editDistance, sortByDistance } from '../../schemas/nearest-names.ts';
import { ConfigurationError } from './configuration.ts';

export interface OptionValue {
  /** A text, texts or a boolean from a flag, a text from the environment, any value from a file or a program. */
  readonly value: unknown;
  /** The source as messages name it: `--timeout`, `ASSAY_TIMEOUT`, `timeout in assay.config.json`. */
  readonly where: string;
  readonly isSecret?: true;
}

export type OptionReader<T> = (option: OptionValue) => T;

export const readNonBlank: OptionReader<string> = (option) => {
  if (typeof option.value === 'string' && option.value.trim() !== '') return option.value.trim();
  throw invalidOption(option, 'a text that is not blank');
};

export const readBoolean: OptionReader<boolean> = (option) => {
  if (typeof option.value === 'boolean') return option.value;
  if (option.value === '1' || option.value === 'true') return true;
  if (option.value === '0' || option.value === 'false') return false;
  throw invalidOption(option, 'true or false');
};

/** Longest accepted duration, in seconds; Node timers overflow after 24 days and then fire at once. */
export const MAX_DURATION = 86_400;

export function readDuration(min: number): OptionReader<number> {
  const readSeconds = readNumber(min, 'any', ' of seconds');
  return (option) => {
    const value = readSeconds(option);
    if (value <= MAX_DURATION) return value;
    throw invalidOption(option, `a number of seconds, ${min} to ${MAX_DURATION}`);
  };
}

/** `unit` follows `number` in messages: ` of seconds`. */
export function readNumber(min: number, kind: 'whole' | 'any', unit = ''): OptionReader<number> {
  return (option) => {
    const value =
      typeof option.value === 'string' && option.value.trim() !== '' ? Number(option.value) : option.value;
    const isInRange = typeof value === 'number' && Number.isFinite(value) && value >= min;
    if (isInRange && (kind === 'any' || Number.isInteger(value))) return value;
    throw invalidOption(option, `${kind === 'whole' ? 'a whole number' : 'a number'}${unit}, ${min} or more`);
  };
}

export function readOneOf<T extends string>(names: readonly T[]): OptionReader<T> {
  return (option) => {
    const match = names.find((name) => name === option.value);
    if (match !== undefined) return match;
    throw invalidOption(option, `one of ${names.join(', ')}${didYouMean(option.value, names)}`);
  };
}

export function readList(separator: RegExp = /[,\n]/): OptionReader<readonly string[]> {
  return (option) => {
    const parts = Array.isArray(option.value) ? option.value : [option.value];
    if (!parts.every((part): part is string => typeof part === 'string'))
      throw invalidOption(option, 'a list of texts');
    return parts
      .flatMap((part) => part.split(separator))
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
}

export function readNames<T extends string>(names: readonly T[]): OptionReader<readonly T[]> {
  const readName = readOneOf(names);
  return (option) => readList()(option).map((value) => readName({ ...option, value }));
}

export function readPairs(
  separator: ':' | '=',
  listSeparator: RegExp,
): OptionReader<readonly (readonly [string, string])[]> {
  return (source) => {
    // Header fields may contain a key, which must not end up in logs.
    const option = separator === ':' ? { ...source, isSecret: true as const } : source; // as: a literal type
    if (isObject(option.value)) {
      return Object.entries(option.value).map(
        ([name, value]) => [name, readNonBlank({ ...option, value })] as const,
      );
    }
    return readList(listSeparator)(option).map((part) => {
      const at = part.indexOf(separator);
      const [name, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
      const isPair = at > 0 && (separator === ':' || value !== '');
      if (!isPair) throw invalidOption({ ...option, value: part }, `name${separator}value`);
      return [name, value] as const;
    });
  };
}

export function invalidOption({ value, where, isSecret }: OptionValue, wanted: string): ConfigurationError {
  // A configuration file that is a program may hold what JSON cannot represent, such as a bigint.
  const text = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { compact: true });
  // Long values are cut, so that most of a key file pasted by mistake stays out of logs.
  const shown = isSecret ? 'invalid (not shown, as it may be secret)' : truncateText(text, 81);
  return new ConfigurationError(`${where} is ${shown}; it takes ${wanted}.`);
}

/** Shows the value only if it looks like the name of a variable: the user may have given the key itself by mistake. */
export function unsetVariable({ where, value }: OptionValue & { readonly value: string }) {
  return new ConfigurationError(
    /^[A-Z_][A-Z0-9_]*$/.test(value)
      ? `${where} names ${value}, which is not set.`
      : `${where} takes the name of an environment variable, and no variable has the given name, which may be the key itself and is not shown.`,
  );
}

export function didYouMean(value: unknown, names: readonly string[]): string {
  if (typeof value !== 'string') return '';
  const distance = (name: string) => editDistance(value.toLowerCase(), name.toLowerCase());
  const [nearest] = sortByDistance(names, distance);
  return nearest === undefined || distance(nearest) > 2 ? '' : ` (did you mean ${nearest}?)`;
}
