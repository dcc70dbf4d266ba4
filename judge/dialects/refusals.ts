// Valid requests that the services of a dialect refuse, such as those of models that lack a parameter.
import { decodedContent } from '../../exchange/http/content.ts';
import type { Ajv2020, ValidateFunction } from '../../schemas/index.ts';
import { isJsonObject, type JsonObject } from '../../schemas/json.ts';
import type { Call } from '../trace/call.ts';
import type { Erratum, RefusalEntry } from './erratum.ts';

/** A refusal with its schemas compiled. */
export interface PreparedRefusal {
  readonly erratum: Erratum;
  readonly operations: readonly string[];
  readonly statuses: readonly number[];
  /** Null for any request. */
  readonly asked: ValidateFunction | null;
  /** For the message of the error; null for any. */
  readonly says: RegExp | null;
  readonly fields: ReadonlyMap<string, ValidateFunction>;
}

/** Throws Error for a schema or a pattern that is not valid. */
export function prepareRefusal(ajv: Ajv2020, erratum: Erratum, refusal: RefusalEntry): PreparedRefusal {
  const { operations, statuses, asked, says, fields } = refusal;
  return {
    erratum,
    operations,
    statuses,
    asked: asked === undefined ? null : ajv.compile(asked),
    says: says === undefined ? null : new RegExp(says),
    fields: new Map(Object.entries(fields).map(([name, schema]) => [name, ajv.compile(schema)])),
  };
}

/** Whether a call was refused for a field that its request has with such a value, and that the error names. */
export function isRefusedFor(refusal: PreparedRefusal, call: Call): boolean {
  const { operations, statuses, asked, fields } = refusal;
  if (!operations.includes(call.operation.id) || !statuses.includes(call.status ?? 0)) return false;
  if (!call.holdsRequest) return false;
  const sent = call.sentFields;
  if (!isJsonObject(sent) || (asked !== null && !asked(sent))) return false;
  const error = errorOf(call);
  if (error === null) return false;
  const named = namesIn(error, refusal);
  return [...fields].some(
    ([name, isRefused]) => named.has(name) && Object.hasOwn(sent, name) && isRefused(sent[name]) === true,
  );
}

/** The error of an answer; null where there is none of the usual form. */
function errorOf({ exchange: { response } }: Call): JsonObject | null {
  const body = response === null ? undefined : decodedContent(response)?.json?.value;
  const error = isJsonObject(body) ? body['error'] : undefined;
  return isJsonObject(error) ? error : null;
}

/** Names of fields in an error: that of its parameter, else those of its message. None where the message says something else. */
function namesIn({ param, message }: JsonObject, { says, fields }: PreparedRefusal): ReadonlySet<string> {
  const text = typeof message === 'string' ? message : '';
  if (says !== null && !says.test(text)) return new Set();
  if (typeof param === 'string') return new Set(param.match(/^\w+/) ?? []);
  return new Set(says === null ? namesInText(text) : fields.keys());
}

/** Words that are meant as names, not as words of the sentence: in quotes, with an underscore, or in a list that ends it. */
function namesInText(text: string): readonly string[] {
  const quoted = text.match(/(?<=(['"`]))\w+(?=\1)/g) ?? [];
  const joined = text.match(/\w+_\w+/g) ?? [];
  const listed = /: (\w+(?:, \w+)*)\.?$/.exec(text)?.[1]?.split(', ') ?? [];
  return [...quoted, ...joined, ...listed];
}
