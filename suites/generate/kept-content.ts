// Some fields may change by themselves but never become empty again: in every state, or once a job has ended.
import { type OutsideCall, OutsideChanges } from '../../judge/trace/outside-call.ts';
import { setIn } from '../vocabulary/changes.ts';
import { Deferred, LruMap, precedes } from '../vocabulary/collecting.ts';
import { briefValue, isEmpty } from '../vocabulary/compare.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Collector, Evidence, Json, Mutation, Selector, Violation } from '../vocabulary/types.ts';
import { DeletedObjects } from './deleted-objects.ts';
import { MAX_OBJECTS } from './objects.ts';
import type { Resource } from './resources.ts';

export interface KeptContent extends Evidence {
  readonly losses: readonly Violation[];
}

const DELETIONS: readonly string[] = ['deleteFile', 'deleteModel'];

type Keeps = NonNullable<Resource['keeps']>;

export function keptContent(resource: Resource, keeps: Keeps): Selector<KeptContent> {
  const { create, retrieve, cancel, list } = resource;
  const showing = [create, retrieve, cancel, list].filter((id) => id !== undefined);
  return {
    operations: [...showing, ...DELETIONS],
    variant: resource.variant ?? null,
    everyVariant: DELETIONS,
    needs: `two answers with the content of the same ${resource.noun}`,
    collect: () => new KeptContentCollector(keeps),
  };
}

class KeptContentCollector implements Collector<KeptContent> {
  readonly #keeps: Keeps;
  readonly #latest = new LruMap<{ readonly value: Json; readonly call: Call }>(MAX_OBJECTS);
  readonly #deleted = new DeletedObjects();
  readonly #outside = new OutsideChanges();
  readonly #deferred = new Deferred<KeptContent>();

  constructor(keeps: Keeps) {
    this.#keeps = keeps;
  }

  call(call: Call): readonly KeptContent[] {
    if (DELETIONS.includes(call.operation.id)) {
      this.#deleted.note(call);
      return [];
    }
    const { responseJson: answer } = call;
    if (answer === undefined) return [];
    if (call.operation.list === null) return this.#compare(answer, call, '');
    return arrayAt(answer, 'data').flatMap((value, i) => this.#compare(value, call, `/data/${i}`));
  }

  outside(call: OutsideCall): void {
    this.#outside.note(call);
  }

  finish(): readonly KeptContent[] {
    return this.#deferred.finish();
  }

  /** Compares a response with an earlier one that ended before it began, since overlapping ones have no order. */
  #compare(value: Json, call: Call, at: string): readonly KeptContent[] {
    const id = textAt(value, 'id');
    if (id === undefined) return [];
    const later = { value, call };
    const earlier = this.#latest.get(id);
    if (earlier === undefined || !precedes(earlier.call.exchange, call.exchange)) {
      if (earlier === undefined) this.#latest.set(id, later);
      return [];
    }
    this.#latest.set(id, later);
    const fields = this.#fieldsOf(earlier.value, value);
    if (fields.length === 0) return [];
    const by = earlier.call.exchange.id;
    const losses = fields.flatMap((field) =>
      lossesIn(valueAtPath(earlier.value, field), valueAtPath(value, field), { at: `${at}/${field}`, by }),
    );
    const [since, until] = [earlier.call.exchange, call.exchange];
    const comparison = { losses, exchanges: [since, until] };
    if (losses.length === 0) return [comparison];
    // The deletion of a file or model, or an outside call, may explain a loss.
    const isExplained = () =>
      this.#deleted.namesDeleted(earlier.value, until) || this.#outside.mayHaveChanged([id], since, until);
    this.#deferred.add(() => (isExplained() ? null : comparison));
    return [];
  }

  #fieldsOf(earlier: Json, later: Json): readonly string[] {
    const { always = [], ended } = this.#keeps;
    const state = textAt(earlier, 'status') ?? '';
    const isSettled = ended.states.includes(state) && textAt(later, 'status') === state;
    return isSettled ? [...always, ...ended.fields] : always;
  }
}

/** Violations for values that became empty, except missing fields and elements of lists of different lengths. */
export function lossesIn(
  earlier: Json | undefined,
  later: Json | undefined,
  place: { readonly at: string; readonly by: string },
): readonly Violation[] {
  const { at, by } = place;
  if (earlier === undefined || later === undefined || earlier === null || isEmpty(earlier)) return [];
  if (later === null || isEmpty(later)) return [violation(at, `${briefValue(earlier)}, as in ${by}`, later)];
  if (Array.isArray(earlier))
    return Array.isArray(later) && later.length === earlier.length
      ? earlier.flatMap((one, i) => lossesIn(one, later[i], { at: `${at}/${i}`, by }))
      : [];
  if (!isObject(earlier) || !isObject(later)) return [];
  return Object.entries(earlier).flatMap(([name, one]) =>
    lossesIn(one, valueAtPath(later, name), { at: `${at}/${name}`, by }),
  );
}

export function emptyingChanges(
  resource: Resource,
  { always = [], ended }: Keeps,
): Readonly<Record<string, Mutation>> {
  const { retrieve, list, cancel } = resource;
  const places = [
    ...(list === undefined ? [] : [...always, ...ended.fields].map((field) => [list, `/data/*/${field}`])),
    ...[retrieve, cancel].flatMap((id) => (id === undefined ? [] : always.map((field) => [id, `/${field}`]))),
  ];
  return Object.fromEntries(
    places.map(([operation = '', at = '']) => [
      `no ${at.split('/').at(-1)} by ${operation}`,
      setIn(operation, at, withoutContent),
    ]),
  );
}

function withoutContent(value: Json | undefined): Json {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : null;
}
