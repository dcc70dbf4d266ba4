// The words with which conditions and expectations of rows describe the values at places, compiled to tests.
import { deepEqual, isObject } from '../../judge/trace/json.ts';
import { type Json, tryParseJson } from '../../schemas/json.ts';
import { plural } from '../../schemas/message-text.ts';
import { containsRequested, existAndDiffer } from './compare.ts';
import { isSameModel } from './model-names.ts';
import { evidenceReader, jsonTest, type Place, valueReader } from './places.ts';

/** A value that a place must have, or words that describe it; several words must all hold. */
export type Test = string | number | boolean | null | TestWords;

type ValueType = 'text' | 'number' | 'boolean' | 'list' | 'object';

/** `rows.schema.json` describes the members. */
export interface TestWords {
  readonly equals?: Json;
  readonly one_of?: readonly Json[] | Place;
  readonly not?: Test;
  readonly type?: ValueType | readonly ValueType[];
  readonly present?: boolean;
  readonly set?: boolean;
  readonly at_least?: number;
  readonly at_most?: number | Place;
  readonly count?: number | Place;
  readonly minimum?: number | Place;
  readonly maximum?: number | Place;
  readonly same_as?: Place;
  readonly sum_of?: readonly (Place | number)[];
  readonly agrees_with?: Place;
  readonly contains?: Place;
  readonly same_model_as?: Place;
  readonly pattern?: string;
  readonly schema?: string;
  readonly names_nothing?: string;
  readonly format?: 'uri' | 'json';
  readonly unique?: true;
  readonly says?: string;
  readonly at?: string;
}

export type Tests = Readonly<Record<Place, Test>>;

export interface CompiledTest {
  holds(value: Json | undefined, subject: unknown): boolean;
  /** Whether the test, or its words, read other places of the subject. */
  readonly readsSubject: boolean;
  expected(subject: unknown): string;
  readonly words: TestWords;
}

/** Words that no test of `WORDS` reads: callers give them a meaning. */
const WORDS_WITHOUT_TEST: ReadonlySet<string> = new Set(['says', 'at', 'unique', 'schema', 'names_nothing']);

/** Groups of response classes that conditions on `outcome` name. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  /** Without the class `absent`, because 404, 405 and 501 may mean that the path is not served. */
  decided: ['accepted', 'rejected'],
  /** Without the class `refused`, because 401, 403 and 407 concern the key. */
  settled: ['accepted', 'rejected', 'absent'],
};

/** Writes a test by value as `equals`. */
export function expandTest(test: Test): TestWords {
  return isObject(test as Json) ? (test as TestWords) : { equals: test as Json }; // as: tests are JSON
}

export function compileTest(test: Test): CompiledTest {
  const words = expandTest(test);
  const parts = Object.entries(words).flatMap(([word, argument]) => {
    const make = WORDS[word];
    if (make === undefined && !WORDS_WITHOUT_TEST.has(word)) throw new Error(`unknown test: ${word}`);
    return make === undefined ? [] : [make(argument as never)]; // as: the schema checks arguments
  });
  const says = words.says === undefined ? null : fillPlaces(words.says);
  const [only] = parts;
  return {
    words,
    readsSubject: parts.some(({ isPlain }) => isPlain !== true) || words.says?.includes('{') === true,
    holds:
      only !== undefined && parts.length === 1
        ? only.holds
        : (value, subject) => parts.every((part) => part.holds(value, subject)),
    expected: (subject) => says?.(subject) ?? parts.map((part) => part.expected(subject)).join(', '),
  };
}

/** Replaces each `{place}` with its value in the evidence; a place without a value stays unchanged. */
function fillPlaces(says: string): (subject: unknown) => string {
  const placeholders = /\{([\w.[\]-]+)\}/g;
  const readers = new Map(
    [...says.matchAll(placeholders)].map(([placeholder, place = '']) => [placeholder, valueReader(place)]),
  );
  return (subject) =>
    says.replaceAll(placeholders, (placeholder) => {
      const value = readers.get(placeholder)?.(subject);
      return value === undefined ? placeholder : describeValue(value);
    });
}

interface TestPart extends Pick<CompiledTest, 'holds' | 'expected'> {
  /** True if the part reads only the value, and no other place. */
  readonly isPlain?: true;
}

const WORDS: Readonly<Record<string, (argument: never) => TestPart>> = {
  equals: (wanted: Json) => valueTest(describeValue(wanted), (value) => deepEqual(value, wanted)),
  one_of: (among: readonly Json[] | Place) => {
    const read = typeof among === 'string' ? evidenceReader(among) : null;
    const wanted = (subject: unknown) =>
      read === null ? (among as readonly Json[]) : read(subject).map(({ value }) => value);
    return {
      ...(read === null && { isPlain: true }),
      holds: (value, subject) => value !== undefined && wanted(subject).some((one) => deepEqual(one, value)),
      expected: (subject) => `one of ${wanted(subject).map(describeValue).join(', ')}`,
    };
  },
  not: (test: Test) => {
    const { holds, expected, readsSubject } = compileTest(test);
    return {
      ...(!readsSubject && { isPlain: true }),
      holds: (value, subject) => !holds(value, subject),
      expected: (subject) => `not ${expected(subject)}`,
    };
  },
  type: (types: string | readonly string[]) => {
    const among = [types].flat();
    return valueTest(`of type ${among.join(' or ')}`, (value) => among.includes(typeOf(value)));
  },
  present: (wanted: boolean) =>
    valueTest(wanted ? 'a value or null' : 'nothing', (value) => (value !== undefined) === wanted),
  set: (wanted: boolean) =>
    valueTest(wanted ? 'a value' : 'null, or nothing', (value) => ((value ?? null) !== null) === wanted),
  at_least: (least: number) =>
    valueTest(`at least ${plural(least, 'element')}`, (value) => (lengthOf(value) ?? 0) >= least),
  at_most: (most: number | Place) =>
    boundTest(
      most,
      (count) => `at most ${plural(count, 'element')}`,
      (value, count) => (lengthOf(value) ?? 0) <= count,
    ),
  count: (wanted: number | Place) =>
    boundTest(
      wanted,
      (count) => plural(count, 'element'),
      (value, count) => (lengthOf(value) ?? 0) === count,
    ),
  minimum: (least: number | Place) =>
    boundTest(
      least,
      (bound) => `at least ${bound}`,
      (value, bound) => typeof value === 'number' && value >= bound,
    ),
  maximum: (most: number | Place) =>
    boundTest(
      most,
      (bound) => `at most ${bound}`,
      (value, bound) => typeof value === 'number' && value <= bound,
    ),
  same_as: (place: Place) => comparisonWith(place, deepEqual),
  sum_of: (parts: readonly (Place | number)[]) => {
    const reads = parts.map((part) => (typeof part === 'number' ? () => part : valueReader(part)));
    const sum = (subject: unknown) => reads.reduce((total, read) => total + Number(read(subject)), 0);
    return {
      holds: (value, subject) => value === sum(subject),
      expected: (subject) => `${sum(subject)}, the sum`,
    };
  },
  agrees_with: (place: Place) => comparisonWith(place, (value, other) => !existAndDiffer(other, value)),
  contains: (place: Place) => comparisonWith(place, (value, other) => containsRequested(other, value)),
  same_model_as: (place: Place) => comparisonWith(place, (value, other) => isSameModel(other, value)),
  pattern: (source: string) => {
    const pattern = new RegExp(source, 'u');
    return valueTest(
      `text that matches ${source}`,
      (value) => typeof value === 'string' && pattern.test(value),
    );
  },
  format: (format: string) =>
    format === 'uri'
      ? valueTest('an absolute URL', (value) => typeof value === 'string' && URL.canParse(value))
      : valueTest('valid JSON', (value) => typeof value === 'string' && tryParseJson(value) !== undefined),
};

function valueTest(words: string, holds: (value: Json | undefined) => boolean): TestPart {
  return { holds, expected: () => words, isPlain: true };
}

function comparisonWith(
  place: Place,
  holds: (value: Json | undefined, other: Json | undefined) => boolean,
): TestPart {
  const read = valueReader(place);
  return {
    holds: (value, subject) => holds(value, read(subject)),
    expected: (subject) => describeValue(read(subject)),
  };
}

/** Compares with a number, or with the number or the length of the list at a place; true if the place has neither. */
function boundTest(
  wanted: number | Place,
  words: (bound: number) => string,
  holds: (value: Json | undefined, bound: number) => boolean,
): TestPart {
  const read = typeof wanted === 'string' ? valueReader(wanted) : () => wanted;
  const bound = (subject: unknown): number | undefined => {
    const limit = read(subject);
    return typeof limit === 'number' ? limit : lengthOf(limit);
  };
  return {
    ...(typeof wanted === 'number' && { isPlain: true }),
    holds: (value, subject) => {
      const limit = bound(subject);
      return limit === undefined || holds(value, limit);
    },
    expected: (subject) => words(bound(subject) ?? Number.NaN),
  };
}

function lengthOf(value: Json | undefined): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function typeOf(value: Json | undefined): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return value === null ? 'null' : typeof value;
}

function describeValue(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function isOutcome(responseClass: string, outcome: string): boolean {
  return OUTCOMES[outcome]?.includes(responseClass) ?? responseClass === outcome;
}

export function dataTest(tests: Tests): (data: Json) => boolean {
  const checks = Object.entries(tests).map(([place, test]) => jsonTest(place, compileTest(test).holds));
  return (data) => checks.every((holds) => holds(data, undefined));
}
