import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Obstacle, Remainder } from '../exchange/note.ts';
import { operation as operationOf, operations } from '../schemas/index.ts';
import { answerOf, at, refusalOf, requestOf } from './answer.ts';
import { type Disposal, disposalOf, offspring } from './disposal.ts';
import type { Entry, Ledger } from './ledger.ts';
import type { Answer, CallInput } from './scenario.ts';

/** Sends one call of the clean-up. */
export type Caller = (operation: string, input: CallInput) => Promise<Exchange>;

/** Something still on the target after clean-up. */
export interface Leftover {
  /** Number of its entry in the ledger. */
  readonly n: number;
  readonly operation: string;
  readonly id: string | null;
  readonly scenario: string;
  readonly remainder: Remainder;
  /** True when nothing that we know of removes it; else cleaning up again may. */
  readonly final: boolean;
}

/** A lost object is looked for on so many pages of its list. */
const PAGES = 50;
/** A job that was cancelled may take a moment to say so; we look this often, with growing pauses. */
const LOOKS = 8;
const ended = new Set(['completed', 'succeeded', 'failed', 'cancelled', 'expired']);

/**
 * Removes what the entries name, newest first: deletes what can be deleted, cancels the rest, and deletes
 * what came of it (result files, fine-tuned models). Never rejects; what stays is given back and stands in the ledger.
 */
export async function cleanUp(
  ledger: Ledger,
  entries: readonly Entry[],
  call: Caller,
): Promise<readonly Leftover[]> {
  const left: Leftover[] = [];
  for (const entry of entries) {
    const way = disposalOf(operationOf(entry.operation));
    if (way === null) continue;
    const { n, operation, scenario } = entry;
    const remains = await disposeOf(entry, way, call);
    if (remains === null) {
      ledger.nothing(n);
      continue;
    }
    left.push(...remains.map((one) => ({ ...one, n, operation, scenario })));
    const open = remains.find(({ final }) => !final);
    const [first] = remains;
    if (open !== undefined) ledger.left(n, open.remainder);
    else if (first !== undefined) ledger.stays(n, first.remainder);
    else ledger.gone(n, way.how);
  }
  return left;
}

type Remains = Pick<Leftover, 'id' | 'remainder' | 'final'>;

/** What remains of an entry; null where it never made anything. */
async function disposeOf(entry: Entry, way: Disposal, call: Caller): Promise<readonly Remains[] | null> {
  try {
    const ids = entry.id === null ? await lost(entry, call) : [entry.id];
    if ('remainder' in ids) return [{ id: null, ...ids }];
    if (ids.length === 0) return null;
    const left = await Promise.all(
      ids.map(async (id) => {
        const remains = await dispose(way, id, call);
        return remains === null ? [] : [{ ...remains, id }];
      }),
    );
    return left.flat();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ id: entry.id, remainder: { why: 'failed', message }, final: false }];
  }
}

type Left = Pick<Leftover, 'remainder' | 'final'>;

async function dispose(way: Disposal, id: string, call: Caller): Promise<Left | null> {
  if (way.how === 'cancelled') return end(way, id, call);
  const obstacle = await remove(way, id, call);
  return obstacle === null ? null : { remainder: { why: 'not-deleted', obstacle }, final: false };
}

/** Deletes one object; null when it is gone, else what stood in the way. */
async function remove(
  way: Pick<Disposal, 'operation' | 'parameter'>,
  id: string,
  call: Caller,
): Promise<Obstacle | null> {
  let answer = answerOf(await call(way.operation, { path: { [way.parameter]: id } }));
  if (answer.status === null || answer.status >= 500) {
    answer = answerOf(await call(way.operation, { path: { [way.parameter]: id } }));
  }
  if (answer.ok || answer.status === 404) return null;
  return refusalOf(answer);
}

/** Cancels what runs, then deletes what came of it. What cannot be deleted stays, and is reported. */
async function end(way: Disposal, id: string, call: Caller): Promise<Left> {
  const path = { [way.parameter]: id };
  const look = async (): Promise<Answer | null> =>
    way.retrieve === null ? null : answerOf(await call(way.retrieve, { path }));
  let state = await look();
  if (!ended.has(status(state))) {
    await call(way.operation, { path });
    for (let n = 0; n < LOOKS; n++) {
      state = await look();
      if (state === null || !state.ok || ended.has(status(state))) break;
      await pause(20 * 2 ** n);
    }
  }
  const children: { readonly id: string; readonly obstacle: Obstacle }[] = [];
  for (const [operation, child] of descendants(state?.json)) {
    const parameter = /\{(\w+)\}/.exec(operationOf(operation).path)?.[1] ?? 'id';
    const obstacle = await remove({ operation, parameter }, child, call);
    if (obstacle !== null) children.push({ id: child, obstacle });
  }
  const isOver = way.retrieve === null || state?.status === 404 || ended.has(status(state));
  return {
    remainder: { why: 'not-deletable', state: status(state) || null, children },
    final: children.length === 0 && isOver,
  };
}

function status(answer: Answer | null): string {
  const value = at(answer?.json, '/status');
  return typeof value === 'string' ? value : '';
}

function* descendants(json: Json | undefined): Generator<readonly [operation: string, id: string]> {
  for (const [field, operation] of offspring) {
    if (!operations().some((known) => known.id === operation)) continue;
    const value = at(json, `/${field}`);
    for (const id of Array.isArray(value) ? value : [value]) {
      if (typeof id === 'string' && id !== '') yield [operation, id];
    }
  }
}

/** Ids of objects whose creation was never answered, looked for by tag; what remains where no list shows them. */
async function lost(entry: Entry, call: Caller): Promise<readonly string[] | Left> {
  const { path } = operationOf(entry.operation);
  const list = operations().find(
    (other) => other.method === 'GET' && other.path === path && other.list !== null,
  );
  if (list === undefined) return { remainder: { why: 'lost' }, final: true };
  const ids: string[] = [];
  const pages = list.parameters.some(({ name }) => name === 'after') ? PAGES : 1;
  let query: CallInput['query'] = {};
  for (let page = 1; page <= pages; page++) {
    const answer = answerOf(await call(list.id, { query }));
    if (!answer.ok) return { remainder: { why: 'not-listed', ...requestOf(answer.exchange) }, final: false };
    const data = at(answer.json, '/data');
    const elements: readonly Json[] = Array.isArray(data) ? data : [];
    ids.push(
      ...elements
        .filter((element) => names(element, entry.tag))
        .map((element) => at(element, '/id'))
        .filter((id) => typeof id === 'string'),
    );
    const last = at(elements.at(-1), '/id');
    // What was made was made once.
    if (ids.length > 0 || at(answer.json, '/has_more') !== true || typeof last !== 'string') break;
    query = { after: last };
  }
  return ids;
}

/** Whether an element holds a tag: `run-1` stands in `run-1.jsonl`, not in `run-12`. */
function names(element: Json, tag: string): boolean {
  const text = JSON.stringify(element);
  for (let from = text.indexOf(tag); from !== -1; from = text.indexOf(tag, from + 1)) {
    if (!/\d/.test(text.charAt(from + tag.length))) return true;
  }
  return false;
}
