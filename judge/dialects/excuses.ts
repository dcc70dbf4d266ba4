import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Ajv2020, JsonSchema } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { deepEqual } from '../trace/json.ts';

/** An excused violation meets all of these conditions. `dialect.schema.json` describes them for authors. */
export interface Excuse {
  readonly requirements: readonly string[];
  /** Schema of the actual value. Default: any. */
  readonly found?: JsonSchema | boolean;
  /** Set if a missing value is excused too; without `found`, only a missing value is. */
  readonly absent?: true;
  /** `stream`: only violations in events of a stream; `json`: only others. Default: both. */
  readonly in?: 'json' | 'stream';
  readonly operations?: readonly string[];
  readonly at?: string;
  readonly differsBy?: number;
  /** Set if the response must repeat the request's value at the same place, with booleans as text. */
  readonly keptAsText?: true;
  /** Members that may differ; the response must repeat all other members of the object in the request unchanged. */
  readonly besides?: readonly string[];
  /** JSON pointer to an object of the request that the response repeats unchanged. */
  readonly keeps?: string;
  /** The response shows `member` of the request's object as `as`, in units of `per`, unless the request has `as`. */
  readonly restated?: { readonly member: string; readonly as: string; readonly per: number };
  /** The innermost object with a creation time must have been created before this day. */
  readonly before?: string;
  readonly asked?: JsonSchema;
  /** Schema of the whole JSON body, or of the data of the event. */
  readonly answer?: JsonSchema;
  /** Schema of the object that contains, or lacks, the value. */
  readonly within?: JsonSchema;
}

export type ExcuseCondition = (violation: Violation, call: Call | null) => boolean;

/** Throws if a schema or pattern is invalid. */
export function compileConditions(excuse: Excuse, ajv: Ajv2020): readonly ExcuseCondition[] {
  const conditionIf = <T>(value: T | undefined, conditionFor: (value: T) => ExcuseCondition) =>
    value === undefined ? [] : [conditionFor(value)];
  const onCall =
    (holds: (call: Call, violation: Violation) => boolean): ExcuseCondition =>
    (violation, call) =>
      call !== null && holds(call, violation);
  return [
    ...conditionIf(excuse.in, (form) => {
      return ({ at }) => at.startsWith('event ') === (form === 'stream');
    }),
    ...conditionIf(excuse.at, (pattern) => {
      const place = new RegExp(pattern);
      return ({ at }) => place.test(at);
    }),
    ...conditionIf(excuse.keptAsText, () => onCall(keepsAsText)),
    ...conditionIf(excuse.besides, (others) => onCall((call, { at }) => repeatsMembers(call, at, others))),
    ...conditionIf(excuse.keeps, (at) => onCall((call) => repeatsMembers(call, at, []))),
    ...conditionIf(excuse.restated, (restated) => onCall((call, { at }) => restates(call, at, restated))),
    ...conditionIf(excuse.before, (day) => onCall((call, { at }) => wasCreatedBefore(call, at, day))),
    ...conditionIf(excuse.differsBy, (maximum) => {
      return ({ actual, expected }) =>
        typeof actual === 'number' && Math.abs(actual - Number.parseFloat(expected)) <= maximum;
    }),
    valueCondition(excuse, ajv),
    ...conditionIf(excuse.operations, (ids) => onCall(({ operation }) => ids.includes(operation.id))),
    ...conditionIf(excuse.asked, (schema) => {
      const isValid = ajv.compile(schema);
      return onCall((call) => call.holdsRequest && isValid(call.sentFields));
    }),
    ...conditionIf(excuse.answer, (schema) => {
      const isValid = ajv.compile(schema);
      return onCall((call, { at }) => {
        const body = jsonAt(call, at);
        return body !== undefined && isValid(body);
      });
    }),
    ...conditionIf(excuse.within, (schema) => {
      const isValid = ajv.compile(schema);
      return onCall((call, { at }) => isValid(ownersOf(jsonAt(call, at), at).at(-1)));
    }),
  ];
}

function valueCondition({ found, absent }: Excuse, ajv: Ajv2020): ExcuseCondition {
  const matchesFound = found === undefined ? null : ajv.compile(found);
  if (matchesFound === null) return ({ actual }) => absent === undefined || actual === undefined;
  return ({ actual }) => (actual === undefined ? absent === true : matchesFound(actual));
}

function keepsAsText(call: Call, { at, actual }: Violation): boolean {
  // A boolean `actual` is in a request that should have been rejected; any other value is in the response.
  if (typeof actual !== 'boolean')
    return actual !== undefined && isKeptAsText(valueAtPointer(call.sentFields, at), actual);
  const { response } = call.exchange;
  const events = response === null ? [] : (eventsOf(response)?.events ?? []);
  const expectedText = String(actual).toLowerCase();
  return [call.responseJson, ...events.map(({ json }) => json?.value)].some((answer) => {
    const shown = valueAtPointer(answer, at);
    return typeof shown === 'string' && shown.toLowerCase() === expectedText;
  });
}

function isKeptAsText(sent: unknown, shown: unknown): boolean {
  if (typeof sent === 'boolean') return typeof shown === 'string' && shown.toLowerCase() === String(sent);
  if (!isJsonObject(sent) || !isJsonObject(shown)) return sent === shown;
  const names = Object.keys(sent);
  return (
    names.length === Object.keys(shown).length && names.every((name) => isKeptAsText(sent[name], shown[name]))
  );
}

function repeatsMembers(call: Call, at: string, besides: readonly string[]): boolean {
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
  const times = ownersOf(jsonAt(call, at), at).flatMap((owner) =>
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

/** The body and each object or array on the way to the value, outermost first. */
function ownersOf(body: Json | undefined, at: string): readonly (Json | undefined)[] {
  const owners: unknown[] = [body];
  for (const token of at.split('/').slice(1, -1)) owners.push(valueAtPointer(owners.at(-1), `/${token}`));
  return owners as readonly (Json | undefined)[]; // as: parts of JSON
}
