// The faults of faults.json: what they change in requests, JSON answers and streams.
import { createRequire } from 'node:module';
import type { JsonSchema } from '../../schemas/index.ts';
import {
  changeEvents,
  changeResponse,
  envelopeElements,
  type FaultyEvent,
  ignoreField,
  ignoreQuery,
  replaceBody,
  setAtPointer,
} from '../deviations/changes.ts';
import type { Fault, FaultHooks } from '../deviations/hooks.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { matches } from '../http/validation.ts';

/** Edits of one JSON value. Pointers are JSON pointers; `*` selects every element. */
interface ValueEdits {
  /** Edits the elements at this pointer instead of the whole value. */
  readonly each?: string;
  /** JSON Schema of the values or elements to edit. Default: all. */
  readonly where?: JsonSchema;
  readonly set?: Readonly<Record<string, Json>>;
  readonly remove?: readonly string[];
  /** Sets only what is there and not null. */
  readonly replace?: Readonly<Record<string, Json>>;
  /** The same with a text: `{}` is the old value, `{n}` the number of the event from 0. */
  readonly text?: Readonly<Record<string, string>>;
  /** Keeps only these properties. */
  readonly keep?: readonly string[];
}

interface StreamEdits {
  /** Edits the data of the events of this name; '' for the chunks of completions. */
  readonly in?: string;
  readonly rename?: Readonly<Record<string, string>>;
  /** Drops events by name, or by text. */
  readonly without?: readonly string[];
  /** Ends the stream before the event of this name. */
  readonly until?: string;
  /** Keeps this many events. */
  readonly first?: number | 'half';
  readonly prepend?: readonly Json[];
  readonly append?: readonly Json[];
  /** The data of each event as text; `{}` is the old data. */
  readonly data?: string;
}

export interface FaultRow extends Omit<Fault, 'does'>, ValueEdits, StreamEdits {
  /** JSON Schema of the request bodies that are affected. Default: all. */
  readonly when?: JsonSchema;
  /** Status of the answer to valid requests. */
  readonly fails?: 400 | 500;
  /** Valid requests are answered 400 because of this field. */
  readonly unsupported?: string;
  /** Fields of the body that the handler does not see. */
  readonly ignore?: readonly string[];
  readonly ignoreQuery?: readonly string[];
  /** Values of fields that the request omits. */
  readonly defaults?: JsonObject;
  /** Values that the handler sees in place of those sent. */
  readonly request?: JsonObject;
  /** The whole answer. */
  readonly answer?: Json;
  /** Empties pages if this query parameter is given; `*`: all pages. */
  readonly emptyPage?: string;
}

const STREAM_EDITS = ['in', 'rename', 'without', 'until', 'first', 'prepend', 'append', 'data'] as const;

/** The file is part of the sources. */
const rows = createRequire(import.meta.url)('#reference/faults/faults.json') as readonly FaultRow[]; // as: `hooksOf` reads all of its properties

export const faultsInData: readonly Fault[] = rows.map((row) => ({ ...row, does: hooksOf(row) }));

function hooksOf(row: FaultRow): FaultHooks {
  const { ignore, ignoreQuery: ignored, defaults, request, answer } = row;
  const isMeant = test(row.when);
  const only = (hooks: FaultHooks): FaultHooks => {
    const { handle } = hooks;
    if (handle === undefined) return hooks;
    return { handle: (call, proceed, ask) => (isMeant(call.body) ? handle : proceed)(call, proceed, ask) };
  };
  if (row.fails !== undefined || row.unsupported !== undefined)
    return only({
      handle: () => {
        throw failure(row);
      },
    });
  if (ignore !== undefined) return only(ignoreField(...ignore));
  if (ignored?.[0] !== undefined) return ignoreQuery(ignored[0]);
  if (defaults !== undefined || request !== undefined)
    return only(replaceBody((body) => ({ ...defaults, ...body, ...request })));
  if (answer !== undefined) return only({ handle: () => answer });
  if (STREAM_EDITS.some((name) => name in row))
    return only(changeEvents((events) => editStream(events, row)));
  const edit = valueEdit(row);
  return only(
    changeResponse((json, call) => (row.emptyPage === undefined ? edit(json, 0) : emptied(json, row, call))),
  );
}

function failure({ fails, unsupported }: FaultRow): ApiError {
  if (unsupported !== undefined)
    return ApiError.invalid(unsupported, `This model does not support '${unsupported}'.`);
  return fails === 500
    ? new ApiError(500, 'Internal error.', { type: 'server_error' })
    : ApiError.invalid(null, 'This request is not accepted.');
}

/** Compiled at the first use, because few faults are injected at a time. */
function test(schema: JsonSchema | undefined): (value: unknown) => boolean {
  let check: ReturnType<typeof matches> | undefined;
  return (value) => {
    if (schema === undefined) return true;
    check ??= matches(schema);
    return check(value);
  };
}

/** `n`: the number of the event. */
function valueEdit(row: ValueEdits): (value: Json, n: number) => Json {
  const { each, set = {}, remove = [], replace = {}, text = {}, keep } = row;
  const isMeant = test(row.where);
  const edit = (value: Json | undefined, n: number): Json => {
    if (value === undefined || !isMeant(value)) return value ?? null;
    let edited = value;
    for (const pointer of remove) edited = setAtPointer(edited, pointer, () => undefined);
    for (const [pointer, other] of Object.entries(set)) edited = setAtPointer(edited, pointer, other);
    for (const [pointer, other] of Object.entries(replace))
      edited = setAtPointer(edited, pointer, (old) => (old == null ? old : other));
    for (const [pointer, form] of Object.entries(text))
      edited = setAtPointer(edited, pointer, (old) =>
        old == null ? old : form.replace('{}', () => String(old)).replace('{n}', String(n)),
      );
    return keep === undefined || !isJsonObject(edited)
      ? edited
      : Object.fromEntries(Object.entries(edited).filter(([name]) => keep.includes(name)));
  };
  return (value, n) =>
    each === undefined ? edit(value, n) : setAtPointer(value, each, (one) => edit(one, n));
}

function editStream(all: readonly FaultyEvent[], row: FaultRow): readonly FaultyEvent[] {
  const { rename = {}, without = [], until, first, prepend = [], append = [], data: form } = row;
  const end = all.findIndex(({ event }) => event === until);
  const count = first === 'half' ? Math.floor(all.length / 2) : first;
  const edit = valueEdit(row);
  const bare = (data: Json): FaultyEvent => ({ event: '', data });
  const kept = all
    .slice(0, end === -1 ? count : end)
    .filter(({ event, data }) => !without.includes(event) && !without.includes(String(data)))
    .map(({ event, data }, n) => {
      const edited = event === row.in ? edit(data, n) : data;
      const text = typeof edited === 'string' ? edited : JSON.stringify(edited);
      return {
        event: rename[event] ?? event,
        data: form === undefined ? edited : form.replace('{}', () => text),
      };
    });
  return [...prepend.map(bare), ...kept, ...append.map(bare)];
}

function emptied(answer: Json, { emptyPage = '*' }: FaultRow, { query }: HandlerRequest): Json {
  const isMeant = emptyPage === '*' || query[emptyPage] !== undefined;
  return isMeant && isJsonObject(answer) && envelopeElements(answer).length > 0
    ? { ...answer, data: [], first_id: null, last_id: null, has_more: false }
    : answer;
}
