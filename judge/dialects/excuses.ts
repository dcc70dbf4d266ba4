import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Ajv2020, JsonSchema, ValidateFunction } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import type { Violation } from '../requirements/requirement.ts';
import { deepEqual } from '../schema/json-kinds.ts';
import type { Call } from '../trace/call.ts';
import type { Erratum, Excuse } from './erratum.ts';

/** An excuse with its schemas compiled; null for a condition that it does not have. */
export interface PreparedExcuse {
  readonly erratum: Erratum;
  readonly excuse: Excuse;
  readonly found: ValidateFunction | null;
  readonly asked: ValidateFunction | null;
  readonly answer: ValidateFunction | null;
  readonly within: ValidateFunction | null;
  readonly at: RegExp | null;
}

/** Throws Error for a schema or a pattern that is not valid. */
export function prepareExcuse(ajv: Ajv2020, erratum: Erratum, excuse: Excuse): PreparedExcuse {
  const compiled = (schema: JsonSchema | boolean | undefined) =>
    schema === undefined ? null : ajv.compile(schema);
  return {
    erratum,
    excuse,
    found: compiled(excuse.found),
    asked: compiled(excuse.asked),
    answer: compiled(excuse.answer),
    within: compiled(excuse.within),
    at: excuse.at === undefined ? null : new RegExp(excuse.at),
  };
}

/** Whether an excuse applies to a violation. `call` shows it; null where no call does, so that no condition on it holds. */
export function covers(prepared: PreparedExcuse, violation: Violation, call: Call | null): boolean {
  const { excuse, at } = prepared;
  const isStream = violation.at.startsWith('event ');
  if (excuse.in !== undefined && excuse.in !== (isStream ? 'stream' : 'json')) return false;
  if (at !== null && !at.test(violation.at)) return false;
  if (excuse.keptAsText === true && (call === null || !keepsAsText(call, violation))) return false;
  if (excuse.besides !== undefined && (call === null || !keepsRest(call, violation.at, excuse.besides)))
    return false;
  if (excuse.keeps !== undefined && (call === null || !keepsRest(call, excuse.keeps, []))) return false;
  if (excuse.restated !== undefined && (call === null || !restates(call, violation, excuse.restated)))
    return false;
  if (excuse.before !== undefined && (call === null || !wasCreatedBefore(call, violation, excuse.before)))
    return false;
  return coversValue(prepared, violation) && coversCall(prepared, violation, call);
}

/** Whether the answer, or an event of it, has the value of the request as text; `True` is a way to write true. */
function keepsAsText(call: Call, { at, actual }: Violation): boolean {
  const { response } = call.exchange;
  const events = response === null ? [] : (eventsOf(response)?.events ?? []);
  const wanted = String(actual).toLowerCase();
  return [call.responseJson, ...events.map(({ json }) => json?.value)].some((answer) => {
    const shown = valueAtPointer(answer, at);
    return typeof shown === 'string' && shown.toLowerCase() === wanted;
  });
}

/** Whether the answer repeats the object of the request at a place, apart from some of its members. */
function keepsRest(call: Call, at: string, besides: readonly string[]): boolean {
  const [sent, shown] = [call.sentFields, call.responseJson].map((json) => valueAtPointer(json, at));
  if (!isJsonObject(sent) || !isJsonObject(shown)) return false;
  return Object.entries(sent).every(
    ([name, value]) => besides.includes(name) || deepEqual(value, shown[name]),
  );
}

/** Whether the answer shows a number of the request in other units. A request that has the other form is compared by that. */
function restates(
  call: Call,
  { at }: Violation,
  { member, as, per }: NonNullable<Excuse['restated']>,
): boolean {
  const [sent, shown] = [call.sentFields, call.responseJson].map((json) => valueAtPointer(json, at));
  if (!isJsonObject(sent) || !isJsonObject(shown)) return false;
  return Object.hasOwn(sent, as) || Number(shown[as]) * per === sent[member];
}

/** Whether the innermost object around a place that shows its time of creation, in Unix seconds, is older than a day. */
function wasCreatedBefore(call: Call, { at }: Violation, day: string): boolean {
  const times = ownersIn(jsonAt(call, at), at).flatMap((owner) =>
    isJsonObject(owner) ? (owner['created_at'] ?? owner['created'] ?? []) : [],
  );
  const time = times.at(-1);
  return typeof time === 'number' && time * 1000 < Date.parse(day);
}

/** The conditions on the actual value. */
function coversValue({ excuse, found }: PreparedExcuse, { actual, expected }: Violation): boolean {
  if (excuse.differsBy !== undefined) {
    const distance = Math.abs(Number(actual) - Number.parseFloat(expected));
    return typeof actual === 'number' && distance <= excuse.differsBy;
  }
  if (found === null) return excuse.absent === undefined || actual === undefined;
  return actual === undefined ? excuse.absent === true : found(actual) === true;
}

/** The conditions on the call: its operation, its request and its response. */
function coversCall(
  { excuse, asked, answer, within }: PreparedExcuse,
  { at }: Violation,
  call: Call | null,
): boolean {
  if (excuse.operations === undefined && asked === null && answer === null && within === null) return true;
  if (call === null) return false;
  if (excuse.operations !== undefined && !excuse.operations.includes(call.operation.id)) return false;
  if (asked !== null && (!call.holdsRequest || !asked(call.sentFields))) return false;
  if (answer === null && within === null) return true;
  const body = jsonAt(call, at);
  if (answer !== null && (body === undefined || !answer(body))) return false;
  return within === null || within(ownerIn(body, at)) === true;
}

/** The JSON that a place is in: the body of the response, or the data of an event. */
function jsonAt(call: Call, at: string): Json | undefined {
  const n = /^event (\d+)/.exec(at)?.[1];
  if (n === undefined) return call.responseJson;
  const { response } = call.exchange;
  const events = response === null ? null : eventsOf(response)?.events;
  return events?.find((event) => event.n === Number(n))?.json?.value;
}

/** The object that the last step of a place leads out of; undefined where there is none. */
function ownerIn(body: Json | undefined, at: string): Json | undefined {
  return ownersIn(body, at).at(-1);
}

/** The values around a place, from the whole to the object that the last step leads out of; undefined where there is none. */
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
