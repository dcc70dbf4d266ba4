import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { operation as operationOf, operations } from '../schemas/index.ts';
import { answerOf, asked, at } from './answer.ts';
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
  /** `cancelled, cannot be deleted`, or what stood in the way. */
  readonly why: string;
}

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
  const leave = (entry: Entry, id: string | null, why: string): void => {
    ledger.left(entry.n, why);
    left.push({ n: entry.n, operation: entry.operation, id, scenario: entry.scenario, why });
  };
  for (const entry of entries) {
    const way = disposalOf(operationOf(entry.operation));
    if (way === null) continue;
    try {
      const ids = entry.id === null ? await lost(entry, call) : [entry.id];
      if (ids === null) leave(entry, null, 'its id never came back, and no list shows it');
      else if (ids.length === 0) ledger.nothing(entry.n);
      const reasons = await Promise.all((ids ?? []).map((id) => dispose(way, id, call)));
      for (const [i, why] of reasons.entries()) if (why !== null) leave(entry, ids?.[i] ?? null, why);
      if (reasons.length > 0 && reasons.every((why) => why === null)) ledger.gone(entry.n, way.how);
    } catch (error) {
      leave(entry, entry.id, error instanceof Error ? error.message : String(error));
    }
  }
  return left;
}

function dispose(way: Disposal, id: string, call: Caller): Promise<string | null> {
  return way.how === 'deleted' ? remove(way, id, call) : end(way, id, call);
}

/** Deletes one object; null when it is gone, else what stood in the way. */
async function remove(
  way: Pick<Disposal, 'operation' | 'parameter'>,
  id: string,
  call: Caller,
): Promise<string | null> {
  let answer = answerOf(await call(way.operation, { path: { [way.parameter]: id } }));
  if (answer.status === null || answer.status >= 500) {
    answer = answerOf(await call(way.operation, { path: { [way.parameter]: id } }));
  }
  if (answer.ok || answer.status === 404) return null;
  return `${asked(answer.exchange)} ${answer.status === null ? answer.exchange.end.detail : `answered ${answer.status}`}`;
}

/** Cancels what runs, then deletes what came of it. What cannot be deleted stays, and is told. */
async function end(way: Disposal, id: string, call: Caller): Promise<string | null> {
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
  const stayed: string[] = [];
  for (const [operation, child] of descendants(state?.json)) {
    const parameter = /\{(\w+)\}/.exec(operationOf(operation).path)?.[1] ?? 'id';
    const why = await remove({ operation, parameter }, child, call);
    if (why !== null) stayed.push(`${child}: ${why}`);
  }
  return [`${status(state) || 'cancelled'}, nothing deletes it`, ...stayed].join('; ');
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

/** Objects whose creation was never answered, looked for by tag; null where no list of their kind exists. */
async function lost(entry: Entry, call: Caller): Promise<readonly string[] | null> {
  const { path } = operationOf(entry.operation);
  const list = operations().find(
    (other) => other.method === 'GET' && other.path === path && other.list !== null,
  );
  if (list === undefined) return null;
  const answer = answerOf(await call(list.id, {}));
  if (!answer.ok) throw new Error(`its id never came back, and ${asked(answer.exchange)} does not tell`);
  const data = at(answer.json, '/data');
  const elements: readonly Json[] = Array.isArray(data) ? data : [];
  return elements
    .filter((element) => JSON.stringify(element).includes(entry.tag))
    .map((element) => at(element, '/id'))
    .filter((id) => typeof id === 'string');
}
