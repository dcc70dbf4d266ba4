// A dialect describes how a family of services deviates from the specification: other paths for operations,
// errata that excuse violations, and requests for unspecified features. It never adds requirements.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { matchesGlob } from '../../exchange/glob.ts';
import type { Json } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { parseJsonFile } from '../../exchange/http/json-text.ts';
import { messageOf, schemaErrorWords } from '../../schemas/error-message.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import {
  type Ajv2020,
  createAjv,
  decodeSegment,
  type JsonSchema,
  type Operation,
  operations,
  type PathMatch,
  type ValidateFunction,
} from '../../schemas/index.ts';
import { isJsonObject, type JsonObject } from '../../schemas/json.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call, Erratum, UnknownMode } from '../trace/call.ts';
import { deepEqual, valueAtPath } from '../trace/json.ts';

interface Alias {
  readonly erratum: Erratum;
  readonly operation: Operation;
  readonly template: readonly string[];
}

interface PreparedExcuse {
  readonly erratum: Erratum;
  readonly requirements: readonly string[];
  readonly conditions: readonly Condition[];
}

interface PreparedMode extends UnknownMode {
  readonly operations: readonly string[];
  readonly asked: ValidateFunction;
}

/** Finds operations under other paths, and excuses the violations that its errata name. */
export class Dialect {
  /** Name in reports and in the trace header, such as `openai`. */
  readonly name: string;
  /** First 16 hex digits of the SHA-256 of the file. */
  readonly digest: string;
  /** The header that selects the variant; null for the default. */
  readonly betaHeader: string | null;
  /** Paths at such services by path of the specification. */
  readonly paths: Readonly<Record<string, string>>;
  /** Id and reason of each erratum, in the order of the file. */
  readonly errata: readonly Erratum[];
  /** Parts of requests in which unlisted values are permitted. */
  readonly open: readonly Vocabulary[];
  /** Choices by id, with the only alternative that is permitted. */
  readonly choices: Readonly<Record<string, string>>;
  readonly #excuses: PreparedExcuse[] = [];
  readonly #aliases: Alias[] = [];
  readonly #modes: PreparedMode[] = [];
  readonly #refusals: { readonly erratum: Erratum; readonly permits: (call: Call) => boolean }[] = [];
  readonly #byRequirement = new Map<string, readonly PreparedExcuse[]>();

  constructor(file: DialectFile, digest: string) {
    this.name = file.name;
    this.digest = digest;
    this.betaHeader = file.betaHeader ?? null;
    this.open = file.open ?? [];
    this.choices = file.choices ?? {};
    this.paths = Object.assign({}, ...file.errata.map(({ paths }) => paths));
    this.errata = file.errata.map(({ id, reason }) => ({ id, reason }));
    const ajv = createAjv({ ajv: { strict: false } });
    for (const { id, reason, paths = {}, excuses = [], modes = [], refusals = [] } of file.errata) {
      const erratum = { id, reason };
      for (const [path, other] of Object.entries(paths))
        for (const operation of operations())
          if (operation.path === path) this.#aliases.push({ erratum, operation, template: other.split('/') });
      for (const excuse of excuses) {
        const { requirements } = excuse;
        this.#excuses.push({ erratum, requirements, conditions: conditionsOf(excuse, ajv) });
      }
      for (const mode of modes) {
        const omits = (mode.omits ?? []).map((pattern) => new RegExp(pattern));
        this.#modes.push({ ...mode, erratum, asked: ajv.compile(mode.asked), omits });
      }
      for (const refusal of refusals) this.#refusals.push({ erratum, permits: refusalTest(refusal, ajv) });
    }
  }

  /** The operation at a path of the dialect, with the erratum that moves it; null if there is none. */
  match(method: string, path: string): (PathMatch & { readonly erratum: Erratum }) | null {
    const segments = path.split('/');
    for (const { erratum, operation, template } of this.#aliases) {
      if (operation.method !== method) continue;
      const parameters = parametersIn(segments, template);
      if (parameters !== null) return { operation, path: parameters, erratum };
    }
    return null;
  }

  /** Whether the dialect names modes that the specification does not know. */
  get hasModes(): boolean {
    return this.#modes.length > 0;
  }

  /** The unknown mode that a request asks for, or null. `fields`: see `Call.sentFields`. */
  modeOf(operation: string, fields: Json): UnknownMode | null {
    const own = this.#modes.filter(({ operations: ids }) => ids.includes(operation));
    const matching = own.filter((mode) => mode.asked(fields));
    const first = matching.find(({ unknown }) => unknown === 'answer') ?? matching[0];
    return first === undefined ? null : { ...first, omits: matching.flatMap(({ omits }) => omits) };
  }

  /** The erratum that permits the refusal of this valid request, or null. */
  refusalOf(call: Call): Erratum | null {
    return this.#refusals.find(({ permits }) => permits(call))?.erratum ?? null;
  }

  /** The erratum that excuses a violation shown by `call`, or null. */
  excuse(requirement: string, violation: Violation, call: Call | null): Erratum | null {
    const { causeId, closes } = violation;
    const ids = causeId === undefined || closes === true ? [requirement] : [requirement, causeId];
    const key = ids.at(-1) ?? requirement;
    const candidates = getOrMake(this.#byRequirement, key, () =>
      this.#excuses.filter(({ requirements }) =>
        requirements.some((pattern) => ids.some((id) => matchesGlob(pattern, id))),
      ),
    );
    const found = candidates.find(({ conditions }) => conditions.every((holds) => holds(violation, call)));
    return found?.erratum ?? null;
  }

  /** Patterns of excuses that match no known id: probably mistyped. */
  strays(known: Iterable<string>): readonly string[] {
    const ids = [...known];
    return this.#excuses
      .flatMap(({ requirements }) => requirements)
      .filter((pattern) => !ids.some((id) => matchesGlob(pattern, id)));
  }
}

function parametersIn(
  segments: readonly string[],
  template: readonly string[],
): Record<string, string> | null {
  if (segments.length !== template.length) return null;
  const found: Record<string, string> = {};
  for (const [n, part] of template.entries()) {
    const segment = segments[n] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== segment : segment === '') return null;
    if (name !== undefined) found[name] = decodeSegment(segment);
  }
  return found;
}

/** An excused violation meets all of these conditions. `dialect.schema.json` describes them for authors. */
interface Excuse {
  /** Patterns, with `*`, for ids of requirements or causes. */
  readonly requirements: readonly string[];
  /** Schema of the actual value. Default: any. */
  readonly found?: JsonSchema | boolean;
  /** Set if a missing value is excused too. */
  readonly absent?: true;
  /** `stream`: only violations in events of a stream; `json`: only others. Default: both. */
  readonly in?: 'json' | 'stream';
  /** Restricts the excuse to responses of these operations. */
  readonly operations?: readonly string[];
  /** Regular expression for the place of the violation. */
  readonly at?: string;
  /** Maximum difference between the actual and the expected number. */
  readonly differsBy?: number;
  /** Set if the response must repeat the value of the request at the same place as text. */
  readonly keptAsText?: true;
  /** Members that may differ; the response must have all others of the object in the request, unchanged. */
  readonly besides?: readonly string[];
  /** JSON pointer to an object of the request that the response repeats unchanged. */
  readonly keeps?: string;
  /** The response shows `member` of the request's object as `as`, in units of `per`, unless the request has `as`. */
  readonly restated?: { readonly member: string; readonly as: string; readonly per: number };
  /** The innermost object with a creation time must have been created before this day. */
  readonly before?: string;
  /** Schema of the fields of the request. */
  readonly asked?: JsonSchema;
  /** Schema of the whole JSON body, or of the data of the event. */
  readonly answer?: JsonSchema;
  /** Schema of the object that contains, or lacks, the value. */
  readonly within?: JsonSchema;
}

/** Requests for an unspecified mode, and the part of their responses that cannot be judged. */
interface ModeEntry {
  /** Ids of the operations that have the mode. */
  readonly operations: readonly string[];
  /** Schema of the fields of such requests; a file is represented by its name. */
  readonly asked: JsonSchema;
  /** `answer`: the response is not judged at all; `echoes`: values that it repeats from the request are not judged. */
  readonly unknown: 'answer' | 'echoes';
  /** Regular expressions for required places that such a request may omit. */
  readonly omits?: readonly string[];
}

/** Valid requests that such services refuse, and the refusals that are excused. */
interface RefusalEntry {
  /** Ids of the operations that may be refused. */
  readonly operations: readonly string[];
  /** Schema of the fields of such requests. Default: any. */
  readonly asked?: JsonSchema;
  /** Statuses with which the request may be refused, such as 400. */
  readonly statuses: readonly number[];
  /** Regular expression for the error message. With it, an error that names no parameter refers to all `fields`. */
  readonly says?: string;
  /** Fields of the request with the schemas of their refused values. The error must name one that was sent. */
  readonly fields: Readonly<Record<string, JsonSchema | boolean>>;
}

/** Parts of requests in which a dialect can permit unlisted values. */
export type Vocabulary = 'enum' | 'const' | 'shapes' | 'fields';

export interface DialectFile {
  /** Name in reports, such as `my-service`. */
  readonly name: string;
  /** Header that selects the variant, such as `OpenAI-Beta`. Default: the header of the run. */
  readonly betaHeader?: string;
  /** Parts of requests in which unlisted values are permitted. Default: none. */
  readonly open?: readonly Vocabulary[];
  /** Choices by id, with the only alternative that is permitted. Default: every alternative is. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Known deviations of such services; `paths` maps paths of the specification to theirs. */
  readonly errata: readonly (Erratum & {
    readonly paths?: Readonly<Record<string, string>>;
    readonly excuses?: readonly Excuse[];
    readonly modes?: readonly ModeEntry[];
    readonly refusals?: readonly RefusalEntry[];
  })[];
}

/** Whether a condition of an excuse holds for a violation, shown by this call if it is known. */
type Condition = (violation: Violation, call: Call | null) => boolean;

/** The conditions of an excuse, all of which must hold. Throws if a schema or pattern is invalid. */
function conditionsOf(excuse: Excuse, ajv: Ajv2020): readonly Condition[] {
  const when = <T>(given: T | undefined, conditionFor: (given: T) => Condition) =>
    given === undefined ? [] : [conditionFor(given)];
  const onCall =
    (holds: (call: Call, violation: Violation) => boolean): Condition =>
    (violation, call) =>
      call !== null && holds(call, violation);
  return [
    ...when(
      excuse.in,
      (form) =>
        ({ at }) =>
          at.startsWith('event ') === (form === 'stream'),
    ),
    ...when(excuse.at, (pattern) => {
      const place = new RegExp(pattern);
      return ({ at }) => place.test(at);
    }),
    ...when(excuse.keptAsText, () => onCall(keepsAsText)),
    ...when(excuse.besides, (others) => onCall((call, { at }) => keepsRest(call, at, others))),
    ...when(excuse.keeps, (at) => onCall((call) => keepsRest(call, at, []))),
    ...when(excuse.restated, (restated) => onCall((call, { at }) => restates(call, at, restated))),
    ...when(excuse.before, (day) => onCall((call, { at }) => wasCreatedBefore(call, at, day))),
    valueCondition(excuse, ajv),
    ...when(excuse.operations, (ids) => onCall(({ operation }) => ids.includes(operation.id))),
    ...when(excuse.asked, (schema) => {
      const isValid = ajv.compile(schema);
      return onCall((call) => call.holdsRequest && isValid(call.sentFields));
    }),
    ...when(excuse.answer, (schema) => {
      const isValid = ajv.compile(schema);
      return onCall((call, { at }) => {
        const body = jsonAt(call, at);
        return body !== undefined && isValid(body);
      });
    }),
    ...when(excuse.within, (schema) => {
      const isValid = ajv.compile(schema);
      return onCall((call, { at }) => isValid(ownersIn(jsonAt(call, at), at).at(-1)));
    }),
  ];
}

function valueCondition({ differsBy, found, absent }: Excuse, ajv: Ajv2020): Condition {
  const isFound = found === undefined ? null : ajv.compile(found);
  if (differsBy !== undefined)
    return ({ actual, expected }) =>
      typeof actual === 'number' && Math.abs(actual - Number.parseFloat(expected)) <= differsBy;
  if (isFound === null) return ({ actual }) => absent === undefined || actual === undefined;
  return ({ actual }) => (actual === undefined ? absent === true : isFound(actual));
}

function keepsAsText(call: Call, { at, actual }: Violation): boolean {
  // `actual` is the value in the response if it is a string or an object, and the value in the request if it is
  // a boolean.
  if (typeof actual !== 'boolean') return isKeptAsText(valueAtPointer(call.sentFields, at), actual);
  const { response } = call.exchange;
  const events = response === null ? [] : (eventsOf(response)?.events ?? []);
  const wanted = String(actual).toLowerCase();
  return [call.responseJson, ...events.map(({ json }) => json?.value)].some((answer) => {
    const shown = valueAtPointer(answer, at);
    return typeof shown === 'string' && shown.toLowerCase() === wanted;
  });
}

/** Whether `shown` is `sent` with booleans as text. */
function isKeptAsText(sent: unknown, shown: unknown): boolean {
  if (typeof sent === 'boolean') return typeof shown === 'string' && shown.toLowerCase() === String(sent);
  if (!isJsonObject(sent) || !isJsonObject(shown)) return sent === shown;
  const names = Object.keys(sent);
  return (
    names.length === Object.keys(shown).length && names.every((name) => isKeptAsText(sent[name], shown[name]))
  );
}

function keepsRest(call: Call, at: string, besides: readonly string[]): boolean {
  const [sent, shown] = [call.sentFields, call.responseJson].map((json) => valueAtPointer(json, at));
  if (!isJsonObject(sent) || !isJsonObject(shown)) return false;
  return Object.entries(sent).every(
    ([name, value]) => besides.includes(name) || deepEqual(value, shown[name]),
  );
}

function restates(call: Call, at: string, { member, as, per }: NonNullable<Excuse['restated']>): boolean {
  const [sent, shown] = [call.sentFields, call.responseJson].map((json) => valueAtPointer(json, at));
  if (!isJsonObject(sent) || !isJsonObject(shown)) return false;
  return Object.hasOwn(sent, as) || Number(shown[as]) * per === sent[member];
}

function wasCreatedBefore(call: Call, at: string, day: string): boolean {
  const times = ownersIn(jsonAt(call, at), at).flatMap((owner) =>
    isJsonObject(owner) ? (owner['created_at'] ?? owner['created'] ?? []) : [],
  );
  const time = times.at(-1);
  return typeof time === 'number' && time * 1000 < Date.parse(day);
}

function jsonAt(call: Call, at: string): Json | undefined {
  const n = /^event (\d+)/.exec(at)?.[1];
  if (n === undefined) return call.responseJson;
  const { response } = call.exchange;
  const events = response === null ? null : eventsOf(response)?.events;
  return events?.find((event) => event.n === Number(n))?.json?.value;
}

function ownersIn(body: Json | undefined, at: string): readonly (Json | undefined)[] {
  const pointer = at.slice(at.indexOf('/') === -1 ? at.length : at.indexOf('/'));
  const owners: unknown[] = [body];
  for (const token of pointer.split('/').slice(1, -1)) {
    const owner = owners.at(-1);
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    owners.push(typeof owner === 'object' && owner !== null ? Reflect.get(owner, key) : undefined);
  }
  return owners as readonly (Json | undefined)[]; // as: parts of JSON
}

/**
 * Whether a call was refused because of a listed field: the request has it with such a value, and the error names
 * it. Throws if a schema or pattern is invalid.
 */
function refusalTest(refusal: RefusalEntry, ajv: Ajv2020): (call: Call) => boolean {
  const { operations: ids, statuses } = refusal;
  const isAsked = refusal.asked === undefined ? () => true : ajv.compile(refusal.asked);
  const says = refusal.says === undefined ? null : new RegExp(refusal.says);
  const fields = Object.entries(refusal.fields).map(([name, schema]) => [name, ajv.compile(schema)] as const);
  return (call) => {
    if (!ids.includes(call.operation.id) || !statuses.includes(call.status ?? 0)) return false;
    if (!call.holdsRequest) return false;
    const sent = call.sentFields;
    if (!isJsonObject(sent) || !isAsked(sent)) return false;
    const error = valueAtPath(jsonContent(call.exchange.response), 'error');
    if (!isJsonObject(error)) return false;
    const named = namesIn(error, says, refusal);
    return fields.some(
      ([name, isRefused]) => named.has(name) && Object.hasOwn(sent, name) && isRefused(sent[name]),
    );
  };
}

function namesIn(
  { param, message }: JsonObject,
  says: RegExp | null,
  { fields }: RefusalEntry,
): ReadonlySet<string> {
  const text = typeof message === 'string' ? message : '';
  if (says !== null && !says.test(text)) return new Set();
  if (typeof param === 'string') return new Set(param.match(/^\w+/) ?? []);
  return new Set(says === null ? namesInText(text) : Object.keys(fields));
}

function namesInText(text: string): readonly string[] {
  const quoted = text.match(/(?<=(['"`]))\w+(?=\1)/g) ?? [];
  const joined = text.match(/\w+_\w+/g) ?? [];
  const listed = /: (\w+(?:, \w+)*)\.?$/.exec(text)?.[1]?.split(', ') ?? [];
  return [...quoted, ...joined, ...listed];
}

class DialectError extends Error {
  override readonly name = 'DialectError';
}

/** `where` names the file in messages. Throws DialectError. */
export function readDialect(text: string, where: string): Dialect {
  const parsed: unknown = parseJsonFile(text, where, DialectError);
  checkShape(parsed, where);
  const file = { errata: [], ...parsed };
  const odd = file.errata
    .flatMap(({ paths = {} }) => Object.keys(paths))
    .find((path) => !operations().some((operation) => operation.path === path));
  if (odd !== undefined)
    throw new DialectError(`${where} gives ${odd} another path, but no operation has it.`);
  const unknown = operationsIn(file).find((id) => !operations().some((operation) => operation.id === id));
  if (unknown !== undefined)
    throw new DialectError(`${where} names the operation ${unknown}, which is unknown; see assay list.`);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  try {
    return new Dialect(file, digest);
  } catch (error) {
    throw new DialectError(
      `${where}: a schema or a pattern of an erratum is not a valid JSON Schema or regular expression: ${messageOf(error)}`,
    );
  }
}

function operationsIn({ errata }: DialectFile): readonly string[] {
  return errata.flatMap(({ excuses = [], modes = [], refusals = [] }) =>
    [...excuses, ...modes, ...refusals].flatMap(({ operations: named = [] }) => named),
  );
}

let shape: ValidateFunction | undefined;

function checkShape(
  file: unknown,
  where: string,
): asserts file is Omit<DialectFile, 'errata'> & Partial<Pick<DialectFile, 'errata'>> {
  if (shape === undefined) {
    const path = createRequire(import.meta.url).resolve('#dialects/dialect.schema.json');
    const ajv = createAjv({ ajv: { allErrors: true, strict: false } });
    shape = ajv.compile(JSON.parse(readFileSync(path, 'utf8')));
  }
  if (shape(file)) return;
  throw new DialectError(`${where} is not a valid dialect: ${schemaErrorWords(shape.errors)}.`);
}
