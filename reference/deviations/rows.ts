import type { JsonSchema } from '../../schemas/index.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json } from '../http/json.ts';
import { BinaryResponse } from '../http/response.ts';
import { type HandlerRequest, type Version, versionOf } from '../http/route.ts';
import { compileMatcher } from '../http/validation.ts';
import {
  changeBinary,
  changeEvents,
  changeResponse,
  ignoreFields,
  type ParsedEvent,
  replaceBody,
} from './changes.ts';
import type { DeviationHooks, HandlerDeviation } from './deviation.ts';
import { elementsOf, objectOf, setAtPointer } from './json-changes.ts';

/** Edits of a JSON value by JSON pointer, applied in the order of these properties; `*` selects every element. */
interface ValueEdits {
  /** Edits the values at these pointers instead of the whole value. */
  readonly each?: string | readonly string[];
  /** JSON Schema of the values to edit. Default: all. */
  readonly where?: JsonSchema;
  /** Copies values; maps the pointer of each copy to the pointer of its original. */
  readonly copy?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly set?: Readonly<Record<string, Json>>;
  /** Sets only what is absent. */
  readonly fill?: Readonly<Record<string, Json>>;
  /** Sets only existing values other than null. */
  readonly replace?: Readonly<Record<string, Json>>;
  /** Like `replace` with a text: `{}` is the old value, `{n}` the number of the event from 0, 0 outside streams. */
  readonly text?: Readonly<Record<string, string>>;
  readonly add?: Readonly<Record<string, number>>;
  /** Names of the members to keep; all others are removed. */
  readonly keep?: readonly string[];
}

interface StreamEdits {
  /** Edits the data of the events with this name; '' for the chunks of completions. */
  readonly in?: string;
  readonly rename?: Readonly<Record<string, string>>;
  /** Drops the events that have one of these names, or one of these texts as data. */
  readonly without?: readonly string[];
  /** Ends the stream before the first event with this name. */
  readonly until?: string;
  /** Keeps only this many events from the start of the stream. */
  readonly first?: number | 'half';
  readonly prepend?: readonly Json[];
  readonly append?: readonly Json[];
  /** The data of each event as text; `{}` is the old data. */
  readonly data?: string;
}

export interface ChangeRow extends ValueEdits, StreamEdits {
  /** JSON Schema of the request bodies that are affected. Default: all. */
  readonly when?: JsonSchema;
  /** Affects only requests in this form (v1 or v2). */
  readonly form?: Version;
  /** Affects only requests whose beta header contains this text; null: requests without the header. */
  readonly header?: string | null;
  /** Status of the response to valid requests. */
  readonly fails?: 400 | 500;
  /** Rejects valid requests with 400, naming this field as not supported. */
  readonly unsupported?: string;
  /** Edits to the body of every request, applied before validation. */
  readonly sent?: ValueEdits;
  /** Fields of the body and the query that the handler does not see. */
  readonly ignore?: readonly string[];
  /** Edits of the body that the handler sees. */
  readonly reads?: ValueEdits;
  /** The model that responds in place of unknown ones. */
  readonly model?: string;
  /** Media type to send with binary responses; an empty one leaves the header out. */
  readonly label?: string;
  /** Limits `label` to responses whose own type begins with this. Default: all. */
  readonly labelled?: string;
  /** Replaces the whole response. */
  readonly answer?: Json;
  /** Empties pages if this query parameter is given; `*`: all pages. */
  readonly emptyPage?: string;
}

const STREAM_EDIT_NAMES = ['in', 'rename', 'without', 'until', 'first', 'prepend', 'append', 'data'] as const;

export function hooksOf(row: ChangeRow): DeviationHooks {
  if (row.sent !== undefined) return { body: compileValueEdit(row.sent) };
  const { handle } = handlerDeviation(row);
  const matchesRow = compileRequestTest(row);
  return {
    handle: (call, proceed, callOperation) =>
      matchesRow(call) ? handle(call, proceed, callOperation) : proceed(call),
  };
}

/** The deviation for requests that match the row. */
function handlerDeviation(row: ChangeRow): HandlerDeviation {
  const { ignore, reads, model, label, labelled = '', answer, emptyPage } = row;
  if (row.fails !== undefined || row.unsupported !== undefined)
    return {
      handle: () => {
        throw failureOf(row);
      },
    };
  if (ignore !== undefined) return ignoreFields(...ignore);
  if (reads !== undefined) {
    const edit = compileValueEdit(reads);
    return replaceBody((body) => objectOf(edit(body)));
  }
  if (model !== undefined) return replaceUnknownModel(model);
  if (label !== undefined)
    return changeBinary((outcome) =>
      outcome.type.startsWith(labelled) ? new BinaryResponse(label, outcome.bytes, outcome.size) : outcome,
    );
  if (answer !== undefined) return { handle: () => answer };
  if (STREAM_EDIT_NAMES.some((name) => name in row)) return changeEvents((events) => editStream(events, row));
  if (emptyPage !== undefined)
    return changeResponse((json, { query }) =>
      emptyPage === '*' || query[emptyPage] !== undefined ? clearPage(json) : json,
    );
  const edit = compileValueEdit(row);
  return changeResponse((json) => edit(json));
}

/** Returns a test of whether a row applies to a request. A JSON body is tested as it was before validation. */
export function compileRequestTest({ when, form, header }: ChangeRow): (call: HandlerRequest) => boolean {
  const matchesBody = compileSchemaTest(when);
  return (call) => {
    const { request, body, service } = call;
    const betaValues = [request.headers[service.betaHeader] ?? []].flat();
    if (form !== undefined && versionOf(call) !== form) return false;
    if (header === null && betaValues.length > 0) return false;
    if (typeof header === 'string' && !betaValues.some((value) => value.includes(header))) return false;
    return matchesBody(isJsonObject(request.body) ? request.body : body);
  };
}

function failureOf({ fails, unsupported }: ChangeRow): ApiError {
  if (unsupported !== undefined)
    return ApiError.invalid(unsupported, `This model does not support '${unsupported}'.`);
  return fails === 500
    ? new ApiError(500, 'Internal error.', { type: 'server_error' })
    : ApiError.invalid(null, 'This service does not accept such a request.');
}

function replaceUnknownModel(model: string): HandlerDeviation {
  return {
    handle: async (request, proceed) => {
      try {
        return await proceed(request);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404 || error.param !== 'model') throw error;
        return proceed({ ...request, body: { ...request.body, model } });
      }
    },
  };
}

/** Compiles the schema on first use, because a service applies few of the rows. */
function compileSchemaTest(schema: JsonSchema | undefined): (value: unknown) => boolean {
  let check: ReturnType<typeof compileMatcher> | undefined;
  return (value) => {
    if (schema === undefined) return true;
    check ??= compileMatcher(schema);
    return check(value);
  };
}

export function compileValueEdit(row: ValueEdits): (value: Json, n?: number) => Json {
  const { each = [] } = row;
  const matchesWhere = compileSchemaTest(row.where);
  const edit = (value: Json, n: number): Json => (matchesWhere(value) ? applyEdits(value, row, n) : value);
  const pointers = [each].flat();
  return (value, n = 0) => {
    if (pointers.length === 0) return edit(value, n);
    let edited = value;
    for (const pointer of pointers)
      edited = setAtPointer(edited, pointer, (part) => (part === undefined ? part : edit(part, n)));
    return edited;
  };
}

function applyEdits(value: Json, row: ValueEdits, n: number): Json {
  let result = value;
  const changeEach = <T>(
    changes: Readonly<Record<string, T>> = {},
    change: (old: Json | undefined, by: T) => Json | undefined,
  ) => {
    for (const [pointer, by] of Object.entries(changes))
      result = setAtPointer(result, pointer, (old) => change(old, by));
  };
  changeEach(row.copy, (_, from) => valueAtPointer(value, from) as Json | undefined); // as: a part of JSON
  for (const pointer of row.remove ?? []) result = setAtPointer(result, pointer, () => undefined);
  changeEach(row.set, (_, other) => other);
  changeEach(row.fill, (old, other) => (old === undefined ? other : old));
  changeEach(row.replace, (old, other) => (old == null ? old : other));
  changeEach(row.text, (old, template) =>
    old == null ? old : template.replaceAll(/\{n?\}/g, (mark) => String(mark === '{}' ? old : n)),
  );
  changeEach(row.add, (old, more) => (typeof old === 'number' ? old + more : old));
  const { keep } = row;
  return keep === undefined || !isJsonObject(result)
    ? result
    : Object.fromEntries(Object.entries(result).filter(([name]) => keep.includes(name)));
}

function editStream(all: readonly ParsedEvent[], row: ChangeRow): readonly ParsedEvent[] {
  const { rename = {}, without = [], until, first, prepend = [], append = [], data: template } = row;
  const end = all.findIndex(({ event }) => event === until);
  const count = first === 'half' ? Math.floor(all.length / 2) : first;
  const edit = compileValueEdit(row);
  const unnamedEvent = (data: Json): ParsedEvent => ({ event: '', data });
  const edited = all
    .slice(0, end === -1 ? count : end)
    .filter(({ event, data }) => !without.includes(event) && !without.includes(String(data)))
    .map(({ event, data }, n) => {
      const changed = event === row.in ? edit(data, n) : data;
      const text = typeof changed === 'string' ? changed : JSON.stringify(changed);
      return {
        event: rename[event] ?? event,
        data: template === undefined ? changed : template.replace('{}', () => text),
      };
    });
  return [...prepend.map(unnamedEvent), ...edited, ...append.map(unnamedEvent)];
}

function clearPage(answer: Json): Json {
  return isJsonObject(answer) && elementsOf(answer['data']).length > 0
    ? { ...answer, data: [], first_id: null, last_id: null, has_more: false }
    : answer;
}
