// Valid requests that the services of a dialect refuse, such as those of models that lack a parameter.
import { decodedContent } from '../../exchange/http/content.ts';
import type { Ajv2020, ValidateFunction } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import type { Call } from '../trace/call.ts';
import type { Erratum, RefusalEntry } from './erratum.ts';

/** A refusal with its schemas compiled. */
export interface PreparedRefusal {
  readonly erratum: Erratum;
  readonly operations: readonly string[];
  readonly statuses: readonly number[];
  readonly asked: ValidateFunction;
  readonly fields: ReadonlyMap<string, ValidateFunction>;
}

/** Throws Error for a schema that is not valid. */
export function prepareRefusal(ajv: Ajv2020, erratum: Erratum, refusal: RefusalEntry): PreparedRefusal {
  const { operations, statuses, asked, fields } = refusal;
  return {
    erratum,
    operations,
    statuses,
    asked: ajv.compile(asked),
    fields: new Map(Object.entries(fields).map(([name, schema]) => [name, ajv.compile(schema)])),
  };
}

/** Whether a call was refused for a field that its request has with such a value, and that the error names. */
export function isRefusedFor(refusal: PreparedRefusal, call: Call): boolean {
  const { operations, statuses, asked, fields } = refusal;
  if (!operations.includes(call.operation.id) || !statuses.includes(call.status ?? 0)) return false;
  if (!call.holdsRequest) return false;
  const sent = call.sentFields;
  if (!isJsonObject(sent) || !asked(sent)) return false;
  const named = namesIn(call);
  return [...fields].some(
    ([name, isRefused]) => named.has(name) && Object.hasOwn(sent, name) && isRefused(sent[name]) === true,
  );
}

/** The words of an error that may be names of fields: that of its parameter, else those of its message. */
function namesIn({ exchange: { response } }: Call): ReadonlySet<string> {
  const body = response === null ? undefined : decodedContent(response)?.json?.value;
  const error = isJsonObject(body) ? body['error'] : undefined;
  if (!isJsonObject(error)) return new Set();
  const { param, message } = error;
  if (typeof param === 'string') return new Set(param.match(/^\w+/) ?? []);
  return new Set(typeof message === 'string' ? message.match(/\w+/g) : []);
}
