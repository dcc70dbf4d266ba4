// Edits of conforming traces as data: `broken_by` of a requirement, each of which makes it fail, `examples` of a
// choice, and `edits` of an equivalent mutant.
import type { Exchange } from '../../exchange/exchange.ts';
import { matchesAnyGlob } from '../../exchange/glob.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { operationOf, readRequestJson } from '../../judge/trace/call.ts';
import {
  editFrame,
  frameData,
  frameWithData,
  type StreamFrame,
  withBody,
  withHeader,
  withJsonResponse,
  withResponseJson,
  withStatus,
} from '../../proof/mutations/exchanges.ts';
import {
  appendEvent,
  callsOperation,
  changeBytes,
  dropEvent,
  duplicateEvent,
  type EventPicker,
  eventsWhere,
  inEvent,
  inEvents,
  inEveryCall,
  inEveryResponse,
  inLastResponse,
  inPicked,
  isSuccessOf,
  moveEvent,
  succeedInstead,
  swapResponses,
} from '../../proof/mutations/mutations.ts';
import {
  inEveryRequest,
  type SentFile,
  withFile,
  withFileSize,
  withRequestHeader,
  withRequestJson,
  withRequestQuery,
} from '../../proof/mutations/requests.ts';
import { allEdits, type Edit as JsonEdit, setValue } from '../../proof/mutations/values.ts';
import { isJsonObject, type Json } from '../../schemas/json.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import { exchangeTest } from './exchange-tests.ts';
import { listOperations } from './given.ts';
import { editLines, jsonEdit, type LinesEdit } from './json-edits.ts';
import { compileOnFirstUse } from './on-first-use.ts';
import { type Place, readerOf } from './places.ts';
import { dataTest, type Tests } from './test-words.ts';

/** Edits of calls of some operations, by default of successful responses; `rows.schema.json` describes the members. */
export interface EditRow extends LinesEdit {
  readonly in: string | readonly string[];
  readonly calls?: 'all' | 'refused';
  readonly request?: true;
  readonly where?: Tests;
  readonly only?: 'last';
  readonly event?: 'first' | 'last' | 'every';
  readonly named?: string | readonly string[];
  readonly with?: Tests;
  readonly drop?: true;
  readonly duplicate?: true;
  readonly move?: 'front' | 'back';
  readonly over_lines?: true;
  readonly rename?: string;
  readonly repeat_as?: string;
  readonly precede_as?: string;
  readonly split?: string;
  readonly then?: { readonly event?: string; readonly data: Json };
  readonly status?: number;
  readonly json?: Json;
  readonly body?: string;
  readonly base64?: string;
  readonly replace?: readonly [pattern: string, text: string];
  readonly header?: Readonly<Record<string, string | null>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly take?: Readonly<Record<string, { readonly from: Tests; readonly value: Place }>>;
  readonly file?: FileEdit;
  readonly swap?: true;
  readonly as_first?: string;
  readonly relist?: { readonly after: string; readonly element: Json; readonly front?: true };
  readonly response_of?: Tests;
  readonly as_valid?: string;
  readonly succeed_later?: { readonly by: string; readonly status: string };
  readonly succeed?: Json;
}

interface FileEdit {
  readonly field: string;
  readonly name?: string;
  readonly base64?: string;
  readonly text?: string;
  readonly times?: number;
  readonly append?: string;
  readonly size?: number;
}

/** By name: one edit, or several applied in order, at least one of which must apply; or a mutation. */
export type BrokenBy = Readonly<Record<string, EditRow | readonly EditRow[] | Mutation>>;

/** Compiles the mutations of `broken_by`, by name, on their first use, because judging needs none. */
export function compileMutations(rows: BrokenBy): Readonly<Record<string, Mutation>> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [
      name,
      typeof row === 'function' ? row : compileOnFirstUse(() => compileMutation(row)),
    ]),
  );
}

export function compileMutation(row: EditRow | readonly EditRow[]): Mutation {
  const edits = [row].flat().flatMap((edit) => {
    if (edit.in === 'download') return [editDownloads(edit)];
    const operations = listOperations(edit.in);
    return edit.request === true
      ? [editRequests(operations, edit)]
      : operations.map((operation) => editSelected(operation, edit));
  });
  return (trace) => {
    let changed: readonly Exchange[] | null = null;
    for (const edit of edits) changed = edit(changed ?? trace) ?? changed;
    return changed;
  };
}

function editSelected(operation: string, row: EditRow): Mutation {
  const { where = {}, only, calls } = row;
  const isSelected = exchangeTest(where);
  const change = editAll(operation, row, isSelected);
  if (Object.keys(where).length === 0 && only === undefined) return change;
  // `editAll` applies `where` itself: the copied response may come from an exchange that `where` excludes.
  if (row.response_of !== undefined) return change;
  const isCandidate = calls === undefined ? isSuccessOf : callsOperation;
  return (trace) => {
    const matching = trace.filter((exchange) => isCandidate(exchange, operation) && isSelected(exchange));
    const selected = only === 'last' ? matching.slice(-1) : matching;
    const changed = change(selected);
    if (changed === null) return null;
    const replacements = new Map(selected.map((exchange, i) => [exchange, changed[i]]));
    return trace.map((exchange) => replacements.get(exchange) ?? exchange);
  };
}

/** `isSelected` tells whether `response_of` replaces the response of an exchange. */
function editAll(operation: string, row: EditRow, isSelected: (exchange: Exchange) => boolean): Mutation {
  const pick = pickerOf(row);
  if (row.drop) return dropEvent(operation, pick);
  if (row.duplicate) return duplicateEvent(operation, pick);
  if (row.move !== undefined) return moveEvent(operation, pick, row.move);
  if (row.over_lines) return inEvents(operation, (frames) => splitOverLines(frames, pick(frames)));
  if (row.then !== undefined) return appendEvent(operation, row.then.event ?? '', row.then.data);
  if (row.swap) return swapResponses(operation);
  if (row.as_valid !== undefined) return answerProbesAsValid(row.as_valid);
  if (row.succeed_later !== undefined) return succeedLater(operation, row.succeed_later);
  if (row.relist !== undefined) return relist(operation, row.relist);
  const { as_first: pointer, succeed } = row;
  if (pointer !== undefined)
    return inLastResponse(
      operation,
      (first) => setValue(pointer, (valueAtPointer(first, pointer) ?? null) as Json), // as: a value in JSON
    );
  if (succeed !== undefined)
    return succeedInstead(operation, ({ request }) => fillPath(succeed, operationOf(request)?.path ?? {}));
  const edit = jsonEdit(row);
  if (row.jsonl !== undefined) return changeBytes(operation, editLines(row.jsonl, row));
  const { rename, repeat_as, precede_as, split } = row;
  const name = rename ?? repeat_as ?? precede_as;
  if (name !== undefined)
    return inPicked(operation, pick, (frame) => {
      const renamed = frameWithData(name, editFrame(frame, edit).data);
      if (rename !== undefined) return [renamed];
      return repeat_as !== undefined ? [frame, renamed] : [renamed, frame];
    });
  if (split !== undefined) return inPicked(operation, pick, (frame) => splitFrame(frame, split));
  if (row.event !== undefined) return inEvent(operation, pick, edit);
  if (row.response_of !== undefined) return answerAs(operation, row.response_of, isSelected);
  const hasPlaceholders = /\{(exchange|request\.)/.test(JSON.stringify([row.set, row.prepend]));
  const inEach = row.calls === undefined ? inEveryResponse : inEveryCall;
  return inEach(operation, (exchange) => {
    const isRefused = (exchange.response?.status ?? 0) >= 400;
    if (row.calls === 'refused' && !isRefused) return exchange;
    return editResponse(exchange, row, hasPlaceholders ? jsonEdit(fillPlaceholders(row, exchange)) : edit);
  });
}

function editDownloads(row: EditRow): Mutation {
  const isDownload = ({ request, response }: Exchange): boolean =>
    request.method === 'GET' && response !== null && operationOf(request) === null;
  return (trace) =>
    trace.some(isDownload)
      ? trace.map((one) => (isDownload(one) ? editResponse(one, row, jsonEdit(row)) : one))
      : null;
}

/** Edits the requests of all calls, whatever their outcome. */
function editRequests(operations: readonly string[], row: EditRow): Mutation {
  const { file, header = {}, query = {}, take = {} } = row;
  if (file?.size !== undefined) return withFileSize(operations, file.field, file.size);
  return (trace) => {
    const copies = Object.entries(take).map(([pointer, { from, value }]) => {
      const copied = valueIn(trace, from, value);
      return copied === undefined ? null : setValue(pointer, copied);
    });
    if (copies.includes(null)) return null;
    const edit = allEdits(jsonEdit(row), ...copies.filter((one) => one !== null));
    return inEveryRequest(operations, (exchange) => {
      let edited = withRequestJson(exchange, edit);
      if (file !== undefined) edited = withFile(edited, file.field, (sent) => editFile(sent, file, row));
      for (const [name, value] of Object.entries(header)) edited = withRequestHeader(edited, name, value);
      for (const [name, value] of Object.entries(query)) edited = withRequestQuery(edited, name, value);
      return edited;
    })(trace);
  };
}

function valueIn(trace: readonly Exchange[], from: Tests, place: Place): Json | undefined {
  const passes = dataTest(from);
  const answers = trace.flatMap(({ response }) => response?.body.json ?? []);
  return readerOf(place)(answers.find(({ value }) => passes(value))?.value, '')[0]?.value;
}

function editFile(sent: SentFile, edit: FileEdit, row: EditRow): SentFile {
  const { name: filename = sent.filename, base64, text, times = 1, append = '' } = edit;
  let bytes = sent.bytes;
  if (text !== undefined) bytes = Buffer.from(text.repeat(times));
  else if (base64 !== undefined) bytes = Buffer.from(base64, 'base64');
  if (row.jsonl !== undefined) bytes = editLines(row.jsonl, row)(bytes);
  return { filename, bytes: Buffer.concat([bytes, Buffer.from(append)]) };
}

/** Replaces `{exchange}` in `set` and `prepend` with the exchange id, and `{request.…}` with texts of its request. */
function fillPlaceholders(row: EditRow, exchange: Exchange): Partial<EditRow> {
  const { id, request } = exchange;
  const fields = readRequestJson(request);
  const fill = (text: string): string =>
    text.replaceAll('{exchange}', id).replaceAll(/\{request\.([^}]+)\}/g, (placeholder, place: string) => {
      const [found] = readerOf(place)(fields, '');
      return typeof found?.value === 'string' ? found.value : placeholder;
    });
  const fillTexts = <V>(values: V): V =>
    JSON.parse(JSON.stringify(values), (_, value) => (typeof value === 'string' ? fill(value) : value));
  return { ...row, set: fillTexts(row.set ?? {}), prepend: fillTexts(row.prepend ?? {}) };
}

function editResponse(exchange: Exchange, row: EditRow, edit: JsonEdit): Exchange {
  const { status, json, header = {} } = row;
  if (json !== undefined) return withJsonResponse(exchange, status ?? 200, json);
  const bytes = row.base64 === undefined ? undefined : Buffer.from(row.base64, 'base64');
  const body = row.body ?? bytes ?? replaceText(exchange, row.replace);
  let edited = body === undefined ? withResponseJson(exchange, edit) : withBody(exchange, body);
  for (const [name, value] of Object.entries(header)) edited = withHeader(edited, name, value);
  return status === undefined ? edited : withStatus(edited, status);
}

/** Replaces a pattern in the text of a response; `^` and `$` match at line breaks. */
function replaceText({ response }: Exchange, replace: EditRow['replace']): string | undefined {
  if (replace === undefined || response === null) return undefined;
  const [pattern, text] = replace;
  return decodedContent(response)?.text?.replaceAll(new RegExp(pattern, 'gmu'), text);
}

function answerProbesAsValid(keyword: string): Mutation {
  const isProbe = ({ probe }: Exchange, side: string): boolean =>
    probe?.keyword === keyword && probe.side === side;
  return (trace) => {
    const valid = trace.find((one) => isProbe(one, 'valid'));
    if (valid === undefined || !trace.some((one) => isProbe(one, 'violation'))) return null;
    return trace.map((one) =>
      isProbe(one, 'violation') ? { ...one, response: valid.response, end: valid.end } : one,
    );
  };
}

function answerAs(operation: string, tests: Tests, isSelected: (exchange: Exchange) => boolean): Mutation {
  const passes = exchangeTest(tests);
  return (trace) => {
    const other = trace.find((one) => callsOperation(one, operation) && passes(one));
    if (other === undefined) return null;
    return inEveryCall(operation, (one) =>
      isSelected(one) ? { ...one, response: other.response, end: other.end } : one,
    )(trace);
  };
}

/**
 * Accepts refused requests and, at the end of the trace, adds one look-up per object, whose response has the given
 * status.
 */
function succeedLater(create: string, { by, status }: NonNullable<EditRow['succeed_later']>): Mutation {
  return (trace) => {
    const accepted = succeedInstead(create, ({ id }) => ({ id: `work_${id}`, status: 'in_progress' }))(trace);
    const sample = trace.find((exchange) => isSuccessOf(exchange, by));
    if (accepted === null || sample === undefined) return null;
    const last = Math.max(...trace.map(({ ended }) => ended));
    const lookups = accepted.flatMap(({ id }, i) => {
      if (accepted[i] === trace[i]) return [];
      const work = `work_${id}`;
      const shown = withResponseJson(sample, allEdits(setValue('/id', work), setValue('/status', status)));
      const request = { ...sample.request, target: sample.request.target.replace(/[^/]+$/, work) };
      return [{ ...shown, id: `later_${id}`, after: last, ended: last + 1 + i, request }];
    });
    return [...accepted, ...lookups];
  };
}

function relist(operation: string, { after, element, front }: NonNullable<EditRow['relist']>): Mutation {
  return (trace) => {
    const deletions = trace.filter((exchange) => callsOperation(exchange, after));
    return inEveryCall(operation, (exchange) => {
      const [path] = exchange.request.target.split('?');
      const restored = deletions
        .filter(({ request }) => request.target.startsWith(`${path}/`))
        .map(({ request }) => fillPath(element, operationOf(request)?.path ?? {}));
      const add = setValue('/data', (old) => {
        const data: readonly Json[] = Array.isArray(old) ? old : [];
        return front ? [...restored, ...data] : [...data, ...restored];
      });
      return restored.length === 0 ? exchange : withResponseJson(exchange, add);
    })(trace);
  };
}

function splitOverLines(frames: readonly StreamFrame[], picked: readonly number[]): readonly StreamFrame[] {
  return frames.map((frame, i) => {
    const data = picked.includes(i) ? frameData(frame) : undefined;
    return data === undefined ? frame : frameWithData(frame.event, JSON.stringify(data, null, 1));
  });
}

function splitFrame(frame: StreamFrame, pointer: string): readonly StreamFrame[] {
  const data = frameData(frame);
  const text = valueAtPointer(data, pointer);
  if (data === undefined || typeof text !== 'string' || text.length < 2) return [frame];
  return [...text].map((character) =>
    frameWithData(frame.event, JSON.stringify(setValue(pointer, character)(data))),
  );
}

function pickerOf({ event = 'every', named, with: tests }: EditRow): EventPicker {
  // Events that are not JSON, such as the end of a stream, are picked only if the row does not test events.
  const pickFitting: EventPicker =
    tests === undefined ? (frames) => frames.map((_, i) => i) : eventsWhere(dataTest(tests));
  const names = [named ?? '*'].flat();
  const pickAll: EventPicker = (frames) =>
    pickFitting(frames).filter((i) => matchesAnyGlob(names, frames[i]?.event ?? ''));
  if (event === 'every') return pickAll;
  return (frames) => (event === 'first' ? pickAll(frames).slice(0, 1) : pickAll(frames).slice(-1));
}

function fillPath(value: Json, path: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string')
    return value.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => path[name] ?? placeholder);
  if (Array.isArray(value)) return value.map((one: Json) => fillPath(one, path));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillPath(one, path)]));
}
