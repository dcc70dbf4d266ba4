// Places: where the conditions and expectations of a row find values. `test-words.ts` has the tests of these values.
// `rows.schema.json` describes both to editors.
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { Call } from '../../judge/trace/call.ts';
import { isObject, listElements, valueAtPath } from '../../judge/trace/json.ts';
import type { Json } from '../../schemas/json.ts';

/**
 * A path of names and indexes: `answer.data[].id`. `[]` is every element, `[-1]` the last. In evidence the first name
 * selects the part: `answer`, `before` and `before_request` (of the earlier call of a pair), `request`, `files`,
 * `request_headers`, `path`, `query`, `status`, `outcome`, `media_type`, `probe`, or a property of the evidence itself.
 */
export type Place = string;

export interface PlacedValue {
  /** The place as findings show it: a JSON pointer, or words such as `event 3` or `status`. */
  readonly at: string;
  readonly value: Json | undefined;
  /** The exchange that shows the value, if evidence names it. */
  readonly exchange?: string;
  /** True for a collected element that names its own place, which is then also the place of its JSON. */
  readonly isPlaced?: boolean;
}

/** Reads a place of evidence, or of JSON; one entry for each value that `[]` reaches. */
export type Reader = (subject: unknown) => readonly PlacedValue[];

/**
 * Evidence in which places also read an element of it as `this`, and the first element of its group as `first`.
 * An object that inherited from the evidence would get a hidden class of its own, which makes every read slow.
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

function ownerOf(subject: unknown, root: Step): EvidenceParts {
  const isInner = subject instanceof ElementSubject && root !== 'this' && root !== 'first';
  // as: other members of evidence are read by name
  return (isInner ? subject.evidence : subject) as EvidenceParts;
}

/** Members of collected elements that contain their JSON. */
const CONTENT_NAMES: ReadonlySet<string> = new Set(['value', 'data', 'entry', 'element']);

const EACH = Symbol('every element');

type Step = string | number | typeof EACH;

function stepsOf(place: Place): readonly Step[] {
  if (!place.includes('[')) return place.split('.').filter((name) => name !== '');
  return [...place.matchAll(/\[(-?\d*)\]|[^.[\]]+/g)].map(([text, index]) => {
    if (index === undefined) return text;
    return index === '' ? EACH : Number(index);
  });
}

/** Creates no {@link PlacedValue}, because most values pass. */
type Search = (subject: unknown, test: (value: Json | undefined) => boolean) => boolean;

/** Reads a place in the JSON of an event or an element. `at` is the place of the JSON itself. */
export function readerOf(place: Place): (json: Json | undefined, at: string) => readonly PlacedValue[] {
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

export function valueReader(place: Place): (subject: unknown) => Json | undefined {
  return valueReaderAt(stepsOf(place));
}

function valueReaderAt(steps: readonly Step[]): (subject: unknown) => Json | undefined {
  const [root = '', ...innerSteps] = steps;
  const part = partNamed(String(root));
  if (part !== undefined && part.isIn === undefined && isSingle(innerSteps))
    return (subject) => memberAt(part.read(ownerOf(subject, root)), innerSteps);
  const search = evidenceSearch(steps);
  return (subject) => {
    let first: Json | undefined;
    search(subject, (value) => {
      first = value;
      return true;
    });
    return first;
  };
}

/** By default `shown` consists of the elements of a list in the response, or of the response. */
function ownParts(evidence: EvidenceParts, root: Step): Json {
  if (root !== 'shown' || 'shown' in evidence) return evidence as unknown as Json; // as: its members are read as JSON
  const answer = PARTS['answer']?.read(evidence);
  if (answer === undefined) return { shown: [] };
  const isList = Array.isArray(valueAtPath(answer, 'data'));
  return { shown: isList ? listElements(answer) : [{ at: '', value: answer }] };
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

export function jsonValueReader(place: Place): (json: Json | undefined) => Json | undefined {
  const steps = stepsOf(place);
  if (isSingle(steps)) return (json) => memberAt(json, steps);
  const read = readerOf(place);
  return (json) => read(json, '')[0]?.value;
}

type NamedStep = Exclude<Step, typeof EACH>;

/** Whether a place has at most one value, so that no search is needed. */
function isSingle(steps: readonly Step[]): steps is readonly NamedStep[] {
  // `memberAt` cannot read a call in evidence.
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

interface EvidenceParts {
  readonly call?: Call;
  readonly after?: Call;
  readonly list?: Call;
  readonly before?: unknown;
  readonly asked?: Json;
  readonly answer?: Json;
}

interface Part {
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
 * Reads the steps from `from` on. `isOwn`: the value is evidence that code has collected, whose elements may know their
 * place, and whose functions are called.
 */
function walk(
  origin: PlacedValue,
  steps: readonly Step[],
  from: number,
  isOwn: boolean,
): readonly PlacedValue[] {
  const reached: PlacedValue[] = [];
  reach(origin, steps, from, isOwn, reached);
  return reached;
}

function reach(
  origin: PlacedValue,
  steps: readonly Step[],
  from: number,
  isOwn: boolean,
  reached: PlacedValue[],
): void {
  const step = steps[from];
  if (step === undefined) {
    reached.push(origin);
    return;
  }
  const next = from + 1;
  const { value } = origin;
  if (step === EACH) {
    if (!Array.isArray(value)) return;
    for (const [i, one] of value.entries())
      reach(elementOf(one, extendPlace(origin.at, i), isOwn, origin), steps, next, isOwn, reached);
    return;
  }
  const call: unknown = value;
  if (call instanceof Call && (step === 'responseJson' || step === 'responseClass')) {
    const isJson = step === 'responseJson';
    reach(locate(isJson ? '' : 'status', call[step], undefined, false), steps, next, !isJson, reached);
    return;
  }
  const inner = isOwn ? ownProperty(value, step) : memberOf(value, step);
  if (isOwn && (typeof step === 'number' || (isObject(inner) && 'at' in inner))) {
    reach(elementOf(inner, extendPlace(origin.at, step), isOwn, origin), steps, next, isOwn, reached);
    return;
  }
  // The JSON of an element that has its own place is at that place.
  const isContent =
    isOwn && (origin.isPlaced === true || origin.at !== '') && CONTENT_NAMES.has(String(step));
  const at = isContent ? origin.at : extendPlace(origin.at, step);
  reach(locate(at, inner, origin.exchange, false), steps, next, isOwn, reached);
}

/** Creates a {@link PlacedValue} without a spread, which is slow if members differ. */
function locate(
  at: string,
  value: Json | undefined,
  exchange: string | undefined,
  isPlaced: boolean,
): PlacedValue {
  return exchange === undefined ? { at, value, isPlaced } : { at, value, isPlaced, exchange };
}

type Visit = (value: unknown, isOwn: boolean, test: (value: Json | undefined) => boolean) => boolean;

function visitOf(steps: readonly Step[]): Visit {
  const [step, ...rest] = steps;
  // as: the members of evidence that places name are JSON
  if (step === undefined) return (value, _, test) => test(value as Json | undefined);
  const visit = visitOf(rest);
  if (step === EACH)
    return (value, isOwn, test) => Array.isArray(value) && value.some((one) => visit(one, isOwn, test));
  const isJson = step === 'responseJson';
  const isOfCall = isJson || step === 'responseClass';
  return (value, isOwn, test) => {
    if (isOfCall && value instanceof Call) return visit(value[step], !isJson, test);
    const json = value as Json | undefined; // as above
    return visit(isOwn ? ownProperty(value, step) : memberOf(json, step), isOwn, test);
  };
}

function elementOf(
  element: Json | undefined,
  at: string,
  isOwn: boolean,
  { exchange }: PlacedValue,
): PlacedValue {
  if (!isOwn || !isObject(element)) return locate(at, element, exchange, false);
  const { at: known, exchange: shown } = element;
  const isPlaced = typeof known === 'string';
  return locate(isPlaced ? known : at, element, typeof shown === 'string' ? shown : undefined, isPlaced);
}

function ownProperty(value: unknown, step: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof step === 'number' ? value.at(step) : undefined;
  if (typeof value !== 'object' || value === null || !(step in value)) return undefined;
  const member: unknown = Reflect.get(value, step);
  // as: suites collect JSON, and functions that compute it on demand
  return (typeof member === 'function' ? member.call(value) : member) as Json | undefined;
}

/** Appends a step to a place of findings. The first step after words follows a space, as in `event 3 /choices`. */
export function extendPlace(at: string, step: string | number): string {
  return at === '' || at.includes('/') ? `${at}/${step}` : `${at} /${step}`;
}
