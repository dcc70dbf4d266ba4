// Places and tests: the two halves of every condition and expectation of a row. `requirements.schema.json` describes them to
// editors; this file gives them their meaning.
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { Call } from '../../judge/trace/call.ts';
import { deepEqual, isObject, listElements, valueAtPath } from '../../judge/trace/json.ts';
import { type Json, parsedJson } from '../../schemas/json.ts';
import { containsRequested, isAnother } from './compare.ts';
import { isSameModel } from './model-names.ts';

/**
 * A path of names and indexes: `answer.data[].id`. `[]` is every element, `[-1]` the last. In evidence the first name
 * selects the part: `answer`, `before` and `before_request` (of the earlier call of a pair), `request`,
 * `request_headers`, `path`, `query`, `status`, `outcome`, `media_type`, `probe`, or a property of the evidence
 * itself.
 */
export type Place = string;

export interface Found {
  /** The place as findings show it: a JSON pointer, or an event, a line or the status in words. */
  readonly at: string;
  readonly value: Json | undefined;
  /** The exchange that shows the value, if evidence names it. */
  readonly exchange?: string;
  /** True for a collected element that names its own place, which is then also the place of its JSON. */
  readonly isPlaced?: boolean;
}

/** A value that a place must have, or words that describe it; several words must all hold. */
export type Test = string | number | boolean | null | TestWords;

type ValueType = 'text' | 'number' | 'boolean' | 'list' | 'object';

export interface TestWords {
  readonly equals?: Json;
  /** One of these values, or of those at a place. */
  readonly one_of?: readonly Json[] | Place;
  readonly not?: Test;
  readonly type?: ValueType | readonly ValueType[];
  /** Whether the place exists; null counts. */
  readonly present?: boolean;
  /** Whether the place has a value other than null. */
  readonly set?: boolean;
  /** The minimum number of elements of a list. */
  readonly at_least?: number;
  /** The maximum number of elements of a list, or the place of that number. */
  readonly at_most?: number | Place;
  /** The number of elements of a list, or the place of that number or of another list. */
  readonly count?: number | Place;
  readonly minimum?: number | Place;
  readonly maximum?: number | Place;
  readonly same_as?: Place;
  /** The sum of numbers and of the numbers at places. An `expect` by places skips evidence that lacks one of these numbers. */
  readonly sum_of?: readonly (Place | number)[];
  /** Like `same_as`, but only if both places have a value or null. */
  readonly agrees_with?: Place;
  /** Contains the value at another place: objects may have more members, lists another order. */
  readonly contains?: Place;
  /** The model at another place, possibly under a longer name with a date or version. */
  readonly same_model_as?: Place;
  readonly pattern?: string;
  /** In statements: the name of a schema of the specification that the value must conform to. */
  readonly schema?: string;
  /** For `probe`: the place at which the request names a nonexistent object. */
  readonly names_nothing?: string;
  /** The kind of a text: an absolute URL, or JSON. */
  readonly format?: 'uri' | 'json';
  /** For places with `[]`: no value occurs twice. */
  readonly unique?: true;
  /** Replaces the generated words, a condition's clause or a finding's expectation; each `{place}` becomes its value. */
  readonly says?: string;
  /** Replaces the place that a finding names; in a statement, the part after the element. */
  readonly at?: string;
}

export type Tests = Readonly<Record<Place, Test>>;

/** Reads a place of evidence, or of JSON; one entry for each value that `[]` reaches. */
export type Reader = (subject: unknown) => readonly Found[];

/**
 * The subject of the tests of an element in a statement: places read the evidence, and the element as `this` and the first one of
 * its group as `first`. A class rather than an object that inherits from the evidence, since each prototype has hidden classes of
 * its own, which makes every read slow.
 */
export class ElementSubject {
  readonly evidence: unknown;
  readonly this: Json | undefined;
  readonly first: Json | undefined;

  constructor(evidence: unknown, element: Json | undefined, first: Json | undefined) {
    this.evidence = evidence;
    this.this = element;
    this.first = first;
  }
}

/** Returns the value that a place is read from, by the first step of the place. */
function ownerOf(subject: unknown, root: Step): EvidenceParts {
  const isInner = subject instanceof ElementSubject && root !== 'this' && root !== 'first';
  // as: what evidence has beyond its parts is read by name
  return (isInner ? subject.evidence : subject) as EvidenceParts;
}

const EACH = Symbol('every element');

type Step = string | number | typeof EACH;

function stepsOf(place: Place): readonly Step[] {
  if (!place.includes('[')) return place.split('.').filter((name) => name !== '');
  return [...place.matchAll(/\[(-?\d*)\]|[^.[\]]+/g)].map(([text, index]) => {
    if (index === undefined) return text;
    return index === '' ? EACH : Number(index);
  });
}

/** Tells whether a value at a place passes a test. It creates no {@link Found}, because most values pass. */
type Search = (subject: unknown, test: (value: Json | undefined) => boolean) => boolean;

/** Reads a place in the JSON of an event or an element. `at` is the place of the JSON itself. */
export function readerOf(place: Place): (json: Json | undefined, at: string) => readonly Found[] {
  const steps = stepsOf(place);
  return (value, at) => walk({ value, at }, steps, 0, false);
}

export function evidenceReader(place: Place): Reader {
  const [root = '', ...steps] = stepsOf(place);
  const part = partNamed(String(root));
  return (subject) => {
    const evidence = ownerOf(subject, root);
    return part === undefined || part.isIn?.(evidence) === false
      ? walk({ value: ownParts(evidence, root), at: '' }, [root, ...steps], 0, true)
      : walk({ at: part.at, value: part.read(evidence) }, steps, 0, false);
  };
}

function evidenceSearch([root = '', ...steps]: readonly Step[]): Search {
  const visitOwn = visitOf([root, ...steps]);
  const part = partNamed(String(root));
  if (part === undefined)
    return (subject, test) => visitOwn(ownParts(ownerOf(subject, root), root), true, test);
  const visit = visitOf(steps);
  return (subject, test) => {
    const evidence = ownerOf(subject, root);
    return part.isIn?.(evidence) === false
      ? visitOwn(evidence, true, test)
      : visit(part.read(evidence), false, test);
  };
}

/** Reads the first value at a place of evidence. */
export function valueReader(place: Place): (subject: unknown) => Json | undefined {
  return valueReaderAt(stepsOf(place));
}

function valueReaderAt(whole: readonly Step[]): (subject: unknown) => Json | undefined {
  const [root = '', ...steps] = whole;
  const part = partNamed(String(root));
  if (part !== undefined && part.isIn === undefined && isSingle(steps))
    return (subject) => memberAt(part.read(ownerOf(subject, root)), steps);
  const search = evidenceSearch(whole);
  return (subject) => {
    let first: Json | undefined;
    search(subject, (value) => {
      first = value;
      return true;
    });
    return first;
  };
}

/**
 * Evidence whose members are read by name. By default `shown` consists of the elements of a list in the response, or of the
 * response.
 */
function ownParts(evidence: EvidenceParts, root: Step): Json {
  if (root !== 'shown' || 'shown' in evidence) return evidence as unknown as Json; // as: its members are read as JSON
  const answer = PARTS['answer']?.read(evidence);
  const isList = Array.isArray(valueAtPath(answer, 'data'));
  return { shown: isList ? listElements(answer) : answer === undefined ? [] : [{ at: '', value: answer }] };
}

/** Returns a function that tells whether some value at a place of evidence passes a test of value and evidence. */
export function evidenceTest(
  place: Place,
  test: (value: Json | undefined, subject: unknown) => boolean,
): (subject: unknown) => boolean {
  const steps = stepsOf(place);
  if (isSingle(steps)) {
    const read = valueReaderAt(steps);
    return (subject) => test(read(subject), subject);
  }
  const search = evidenceSearch(steps);
  return (subject) => search(subject, (value) => test(value, subject));
}

/** Returns a function that tells whether some value at a place of JSON passes a test of value and subject. */
export function jsonTest(
  place: Place,
  test: (value: Json | undefined, subject: unknown) => boolean,
): (json: Json | undefined, subject: unknown) => boolean {
  const steps = stepsOf(place);
  if (isSingle(steps)) return (json, subject) => test(memberAt(json, steps), subject);
  const visit = visitOf(steps);
  return (json, subject) => visit(json, false, (value) => test(value, subject));
}

/** Reads the first value at a place of JSON. */
export function jsonValueReader(place: Place): (json: Json | undefined) => Json | undefined {
  const steps = stepsOf(place);
  if (isSingle(steps)) return (json) => memberAt(json, steps);
  const read = readerOf(place);
  return (json) => read(json, '')[0]?.value;
}

type NamedStep = Exclude<Step, typeof EACH>;

/** Whether a place has at most one value, so that no search is needed. */
function isSingle(steps: readonly Step[]): steps is readonly NamedStep[] {
  // Calls in evidence are read by `visitOf` alone.
  return !steps.some((step) => step === EACH || step === 'responseJson' || step === 'responseClass');
}

function memberAt(json: Json | undefined, steps: readonly NamedStep[]): Json | undefined {
  let here = json;
  for (const step of steps) here = memberOf(here, step);
  return here;
}

function memberOf(json: Json | undefined, step: NamedStep): Json | undefined {
  if (Array.isArray(json))
    return typeof step === 'number' ? json[step < 0 ? json.length + step : step] : undefined;
  return isObject(json) && Object.hasOwn(json, step) ? json[String(step)] : undefined;
}

/** The parts that evidence may have. */
interface EvidenceParts {
  readonly call?: Call;
  readonly after?: Call;
  readonly list?: Call;
  readonly before?: unknown;
  readonly asked?: Json;
  readonly answer?: Json;
}

/** A part of evidence that places name by their first word. */
interface Part {
  /** The place that findings show for it. */
  readonly at: string;
  /** Whether evidence has the part; otherwise the word names a member of the evidence. Default: always. */
  isIn?(evidence: EvidenceParts): boolean;
  read(evidence: EvidenceParts): Json | undefined;
}

function callOf(evidence: EvidenceParts): Call | undefined {
  return evidence.after ?? evidence.call ?? evidence.list;
}

function partNamed(word: string): Part | undefined {
  return Object.hasOwn(PARTS, word) ? PARTS[word] : undefined;
}

const PARTS: Readonly<Record<string, Part>> = {
  answer: {
    at: '',
    read: (evidence) => ('answer' in evidence ? evidence.answer : callOf(evidence)?.responseJson),
  },
  before: {
    at: '',
    isIn: ({ before }) => isCall(before),
    read: ({ before }) => (isCall(before) ? before.responseJson : undefined),
  },
  before_request: {
    at: 'request',
    isIn: ({ before }) => before instanceof Call,
    read: ({ before }) => (before instanceof Call ? before.requestJson : undefined),
  },
  request: {
    at: 'request',
    read: (evidence) => ('asked' in evidence ? evidence.asked : callOf(evidence)?.requestJson),
  },
  files: {
    at: 'request file',
    read: (evidence) => {
      const call = callOf(evidence);
      return call === undefined ? undefined : filesOf(call);
    },
  },
  path: { at: 'path', read: (evidence) => callOf(evidence)?.path },
  query: { at: 'query', read: (evidence) => Object.fromEntries(callOf(evidence)?.query ?? []) },
  status: { at: 'status', read: (evidence) => callOf(evidence)?.status ?? null },
  request_headers: {
    at: 'request',
    read: (evidence) =>
      (callOf(evidence)?.exchange.request.headers ?? []).map(([name, value]) => ({ name, value })),
  },
  outcome: { at: 'status', read: (evidence) => callOf(evidence)?.responseClass },
  media_type: {
    at: 'header content-type',
    read: (evidence) => mediaTypeOf(callOf(evidence)?.exchange.response?.headers ?? [])?.essence,
  },
  probe: {
    at: 'probe',
    // as: a label has JSON values only
    read: (evidence) => (callOf(evidence)?.exchange.probe ?? null) as Json,
  },
};

/** Whether a member of evidence is a call, or has a response like one. */
function isCall(value: unknown): value is Pick<Call, 'responseJson'> {
  return typeof value === 'object' && value !== null && 'responseJson' in value;
}

/** The files of a form by field: name, and size in bytes. */
function filesOf({ exchange }: Call): Json {
  const files = (formDataParts(exchange.request) ?? []).flatMap(({ name, filename, body }) =>
    name === null || filename === null ? [] : [[name, { name: filename, size: body.size }] as const],
  );
  return Object.fromEntries(files);
}

/**
 * Reads the steps from `from` on. `own`: the value is evidence that code has collected, whose elements may know their place, and
 * whose functions are called.
 */
function walk(found: Found, steps: readonly Step[], from: number, own: boolean): readonly Found[] {
  const reached: Found[] = [];
  reach(found, steps, from, own, reached);
  return reached;
}

/** Appends the results of {@link walk} to `reached`. */
function reach(found: Found, steps: readonly Step[], from: number, own: boolean, reached: Found[]): void {
  const step = steps[from];
  if (step === undefined) {
    reached.push(found);
    return;
  }
  const next = from + 1;
  const { value } = found;
  if (step === EACH) {
    if (!Array.isArray(value)) return;
    for (const [i, one] of value.entries())
      reach(elementOf(one, pointer(found.at, i), own, found), steps, next, own, reached);
    return;
  }
  const call: unknown = value;
  if (call instanceof Call && (step === 'responseJson' || step === 'responseClass')) {
    const isJson = step === 'responseJson';
    reach(locate(isJson ? '' : 'status', call[step], undefined, false), steps, next, !isJson, reached);
    return;
  }
  const inner = own ? ownProperty(value, step) : memberOf(value, step);
  if (own && (typeof step === 'number' || (isObject(inner) && 'at' in inner))) {
    reach(elementOf(inner, pointer(found.at, step), own, found), steps, next, own, reached);
    return;
  }
  // The JSON of an element that has its own place is at that place.
  const isHeld = own && (found.isPlaced === true || found.at !== '') && CONTENTS.has(String(step));
  const at = isHeld ? found.at : pointer(found.at, step);
  reach(locate(at, inner, found.exchange, false), steps, next, own, reached);
}

/** Creates a {@link Found} without a spread, which is slow if members differ. */
function locate(at: string, value: Json | undefined, exchange: string | undefined, isPlaced: boolean): Found {
  return exchange === undefined ? { at, value, isPlaced } : { at, value, isPlaced, exchange };
}

/** Visits what {@link walk} finds, until a value passes the test. */
type Visit = (value: unknown, own: boolean, test: (value: Json | undefined) => boolean) => boolean;

function visitOf(steps: readonly Step[]): Visit {
  const [step, ...rest] = steps;
  // as: the members of evidence that places name are JSON
  if (step === undefined) return (value, _, test) => test(value as Json | undefined);
  const visit = visitOf(rest);
  if (step === EACH)
    return (value, own, test) => Array.isArray(value) && value.some((one) => visit(one, own, test));
  const isJson = step === 'responseJson';
  const isOfCall = isJson || step === 'responseClass';
  return (value, own, test) => {
    if (isOfCall && value instanceof Call) return visit(value[step], !isJson, test);
    const json = value as Json | undefined; // as above
    return visit(own ? ownProperty(value, step) : memberOf(json, step), own, test);
  };
}

/** Members of collected elements that hold their JSON. */
const CONTENTS: ReadonlySet<string> = new Set(['value', 'data', 'entry', 'element']);

function elementOf(element: Json | undefined, at: string, own: boolean, { exchange }: Found): Found {
  if (!own || !isObject(element)) return locate(at, element, exchange, false);
  const { at: known, exchange: shown } = element;
  const isPlaced = typeof known === 'string';
  return locate(isPlaced ? known : at, element, typeof shown === 'string' ? shown : undefined, isPlaced);
}

function ownProperty(value: unknown, step: string | number): Json | undefined {
  if (Array.isArray(value)) return value.at(Number(step));
  if (typeof value !== 'object' || value === null || !(step in value)) return undefined;
  const found: unknown = Reflect.get(value, step);
  // as: suites collect JSON, and functions that read it late
  return (typeof found === 'function' ? found.call(value) : found) as Json | undefined;
}

/** Continues a pointer. After words, as in `event 3 /choices`, it begins with a space. */
export function pointer(at: string, step: string | number): string {
  return at === '' || at.includes('/') ? `${at}/${step}` : `${at} /${step}`;
}

export interface CompiledTest {
  holds(value: Json | undefined, subject: unknown): boolean;
  /** Whether the test compares the value with other places of the subject. */
  readonly readsSubject: boolean;
  /** The expectation that a finding shows. */
  expected(subject: unknown): string;
  readonly words: TestWords;
}

/** Compiles a test. Throws for an unknown word. */
export function compileTest(test: Test): CompiledTest {
  const words: TestWords = isObject(test as Json) ? (test as TestWords) : { equals: test as Json }; // as: Test is one of these
  const parts = Object.entries(words).flatMap(([word, argument]) => {
    const make = WORDS[word];
    if (make === undefined && !WORDS_OF_STATEMENTS.has(word)) throw new Error(`unknown test: ${word}`);
    return make === undefined ? [] : [make(argument as never)]; // as: the schema holds arguments to the types of their words
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
  const readers = new Map(
    [...says.matchAll(/\{([\w.]+)\}/g)].map(([whole, place = '']) => [whole, valueReader(place)] as const),
  );
  return (subject) =>
    [...readers].reduce((text, [whole, read]) => {
      const value = read(subject);
      return value === undefined ? text : text.replaceAll(whole, () => describeValue(value));
    }, says);
}

/** Words that `given.ts` interprets. */
const WORDS_OF_STATEMENTS: ReadonlySet<string> = new Set(['says', 'at', 'unique', 'schema', 'names_nothing']);

interface TestPart extends Pick<CompiledTest, 'holds' | 'expected'> {
  /** True if the part reads only the value, and no other place. */
  readonly isPlain?: true;
}

const WORDS: Readonly<Record<string, (argument: never) => TestPart>> = {
  equals: (wanted: Json) =>
    valueTest(describeValue(wanted), (value) => deepEqual(value ?? undefined, wanted) || value === wanted),
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
  at_least: (least: number) => valueTest(`at least ${least}`, (value) => (lengthOf(value) ?? 0) >= least),
  at_most: (most: number | Place) =>
    boundTest(
      most,
      (count) => `at most ${count} elements`,
      (value, count) => (lengthOf(value) ?? 0) <= count,
    ),
  count: (wanted: number | Place) =>
    boundTest(
      wanted,
      (count) => `${count} elements`,
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
  same_as: (place: Place) =>
    comparisonWith(
      place,
      (value, other) =>
        value === other || (value !== undefined && other !== undefined && deepEqual(value, other)),
    ),
  sum_of: (parts: readonly (Place | number)[]) => {
    const reads = parts.map((part) => (typeof part === 'number' ? () => part : valueReader(part)));
    const sum = (subject: unknown) => reads.reduce((total, read) => total + Number(read(subject)), 0);
    return {
      holds: (value, subject) => value === sum(subject),
      expected: (subject) => `${sum(subject)}, the sum`,
    };
  },
  agrees_with: (place: Place) => comparisonWith(place, (value, other) => !isAnother(other, value)),
  contains: (place: Place) => comparisonWith(place, (value, other) => containsRequested(other, value)),
  same_model_as: (place: Place) => comparisonWith(place, (value, other) => isSameModel(other, value)),
  pattern: (source: string) => {
    const pattern = new RegExp(source, 'u');
    return valueTest(`a text like ${source}`, (value) => typeof value === 'string' && pattern.test(value));
  },
  format: (format: string) =>
    format === 'uri'
      ? valueTest('an absolute URL', (value) => typeof value === 'string' && URL.canParse(value))
      : valueTest('valid JSON', (value) => typeof value === 'string' && parsedJson(value) !== undefined),
};

function valueTest(words: string, holds: (value: Json | undefined) => boolean): TestPart {
  return { holds, expected: () => words, isPlain: true };
}

/** Compares with the value at another place. */
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

/**
 * Compares with a number, or with the number or the length of the list at a place; always true if the place has
 * neither.
 */
function boundTest(
  wanted: number | Place,
  words: (bound: number) => string,
  holds: (value: Json | undefined, bound: number) => boolean,
): TestPart {
  const read = typeof wanted === 'string' ? valueReader(wanted) : () => wanted;
  const bound = (subject: unknown): number | undefined => {
    const found = read(subject);
    return typeof found === 'number' ? found : lengthOf(found);
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

/** Groups of response classes that conditions on `outcome` name. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  /** The request was carried out, or was rejected by a status other than 404. */
  decided: ['accepted', 'rejected'],
  /** The request was carried out or refused. */
  settled: ['accepted', 'rejected', 'absent'],
};

/** Whether a response class belongs to an outcome, which is the class itself or one of the groups. */
export function isOutcome(responseClass: string, outcome: string): boolean {
  return OUTCOMES[outcome]?.includes(responseClass) ?? responseClass === outcome;
}

/** Returns a function that tells whether JSON passes all of these tests. */
export function dataTest(tests: Tests): (data: Json) => boolean {
  const checks = Object.entries(tests).map(([place, test]) => {
    const holds = jsonTest(place, compileTest(test).holds);
    return (data: Json) => holds(data, undefined);
  });
  return (data) => checks.every((check) => check(data));
}
