import { jsonContent } from '../../exchange/http/content.ts';
import type { Ajv2020, JsonSchema } from '../../schemas/index.ts';
import { isJsonObject, type JsonObject } from '../../schemas/json.ts';
import type { Call } from '../trace/call.ts';
import { valueAtPath } from '../trace/json.ts';

export interface RefusalEntry {
  readonly operations: readonly string[];
  readonly asked?: JsonSchema;
  readonly statuses: readonly number[];
  /** Regular expression for the error message. With it, an error that names no parameter refers to all `fields`. */
  readonly says?: string;
  /** Fields of the request with the schemas of their refused values. The error must name one that was sent with such a value. */
  readonly fields: Readonly<Record<string, JsonSchema | boolean>>;
}

/** Throws if a schema or pattern is invalid. */
export function compileRefusalTest(refusal: RefusalEntry, ajv: Ajv2020): (call: Call) => boolean {
  const { operations: ids, statuses } = refusal;
  const matchesAsked = refusal.asked === undefined ? () => true : ajv.compile(refusal.asked);
  const says = refusal.says === undefined ? null : new RegExp(refusal.says);
  const fields = Object.entries(refusal.fields).map(([name, schema]) => [name, ajv.compile(schema)] as const);
  return (call) => {
    if (!ids.includes(call.operation.id) || !statuses.includes(call.status ?? 0)) return false;
    if (!call.holdsRequest) return false;
    const sent = call.sentFields;
    if (!isJsonObject(sent) || !matchesAsked(sent)) return false;
    const error = valueAtPath(jsonContent(call.exchange.response), 'error');
    if (!isJsonObject(error)) return false;
    const blamed = blamedFields(error, says, refusal);
    return fields.some(
      ([name, isRefused]) => blamed.has(name) && Object.hasOwn(sent, name) && isRefused(sent[name]),
    );
  };
}

function blamedFields(
  { param, message }: JsonObject,
  says: RegExp | null,
  { fields }: RefusalEntry,
): ReadonlySet<string> {
  const text = typeof message === 'string' ? message : '';
  if (says !== null && !says.test(text)) return new Set();
  if (typeof param === 'string' && param !== '') return new Set(param.match(/^\w+/) ?? []);
  return new Set(says === null ? namesInText(text) : Object.keys(fields));
}

function namesInText(text: string): readonly string[] {
  const quoted = text.match(/(?<=(['"`]))\w+(?=\1)/g) ?? [];
  const withUnderscore = (text.match(/\w+/g) ?? []).filter((word) => word.slice(1, -1).includes('_'));
  const listed = /: (\w+(?:, \w+)*)\.?$/.exec(text)?.[1]?.split(', ') ?? [];
  return [...quoted, ...withUnderscore, ...listed];
}
