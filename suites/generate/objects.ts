import { bodyTree } from '../../judge/probe/constraints.ts';
import { buildTree } from '../../judge/schema/build-tree.ts';
import type { UnionMember } from '../../judge/schema/node.ts';
import { type OutsideCall, OutsideTouches } from '../../judge/trace/outside-call.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { operation as operationOf, resolveRef, schema, type Variant } from '../../schemas/index.ts';
import { setIn } from '../vocabulary/changes.ts';
import { Deferred, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { briefValue, fieldDifferences, isEmpty } from '../vocabulary/compare.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type {
  BehaviourRequirement,
  Call,
  Collector,
  Evidence,
  Json,
  Mutation,
  Selector,
  TraceSpan,
  Violation,
} from '../vocabulary/types.ts';
import type { Resource } from './resources.ts';

/** Operations after which a deleted object may exist again under its id. */
export function restoringOperations({ create, hasBorrowedId, touchedBy = [] }: Resource): readonly string[] {
  return [...(create === undefined ? [] : [create]), ...(hasBorrowedId === true ? touchedBy : [])];
}

export function restoredIds({ responseJson: answer, requestJson: asked }: Call): readonly string[] {
  const ids = [valueAtPath(answer, 'id'), valueAtPath(asked, 'file_id'), ...arrayAt(asked, 'file_ids')];
  return ids.filter((id) => typeof id === 'string');
}

export function variantOfResource({ variant }: Resource, operation: string): Variant {
  const { variants } = operationOf(operation);
  const found = variants.find(({ name }) => name === variant) ?? variants[0];
  if (found === undefined) throw new Error(`${operation} has no form.`);
  return found;
}

export function lastingFields(resource: Resource): readonly string[] {
  return membersOfAnswer(resource, resource.retrieve)
    .map(({ name }) => name)
    .filter((name) => !resource.moving?.includes(name));
}

export interface EchoedField {
  readonly name: string;
  readonly node: UnionMember['node'];
  readonly isOptional: boolean;
}

export function echoedFields(
  resource: Resource,
  operation: string,
  verb: 'create' | 'modify',
): readonly EchoedField[] {
  const shown = new Map(membersOfAnswer(resource, operation).map((member) => [member.name, member]));
  const requestMembers = bodyTree(variantOfResource(resource, operation))?.members ?? [];
  const unlike = new Set(resource.unlike);
  return requestMembers.flatMap(({ name, node }) => {
    const member = shown.get(name);
    if (member === undefined || unlike.has(name) || unlike.has(`${verb}.${name}`)) return [];
    return [{ name, node, isOptional: !member.required && !member.expected }];
  });
}

export function ownerFields(resource: Resource): readonly string[] {
  const names = [...operationOf(resource.retrieve).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const fields = new Set(membersOfAnswer(resource, resource.retrieve).map(({ name }) => name));
  return names.slice(0, -1).filter((name) => fields.has(name));
}

const membersOfSchema = new Map<string, readonly UnionMember[]>();

function membersOfAnswer(resource: Resource, operation: string): readonly UnionMember[] {
  const name = variantOfResource(resource, operation).answers[0]?.schema;
  if (name === null || name === undefined) return [];
  return getOrMake(membersOfSchema, name, () => buildTree({ schema, resolveRef }, name, 'inline').members);
}

// The specification does not say whether the ids of deleted files and stores stay in other objects, so a difference in them is
// not a violation.

const KEPT = 1000;

class DeletedFiles {
  readonly #lost = new Timeline();

  note(call: Call): void {
    const id = Object.values(call.path).at(-1);
    if (id !== undefined && mayHaveSucceeded(call)) this.#lost.note(id, call.exchange);
  }

  touches(value: Json | undefined, until: TraceSpan): boolean {
    return this.#lost.isChanged(textsIn(value), null, until);
  }
}

/** Drops violations whose earlier response names a deleted file in `file_ids`. */
export function withoutDeletedFiles<E extends Evidence & { readonly before: Call; readonly after: Call }>(
  selector: Selector<E>,
  check: BehaviourRequirement<E>['check'],
): Selector<E> {
  const { part: _, ...whole } = selector;
  return {
    ...whole,
    around: selector,
    operations: [...selector.operations, 'deleteFile'],
    everyVariant: [...(selector.everyVariant ?? []), 'deleteFile'],
    collect: () => {
      const inner = selector.collect();
      const lost = new DeletedFiles();
      const deferred = new Deferred<E>();
      const isWhole = ({ before, after }: E): boolean => {
        const shown = [
          valueAtPath(before.responseJson, 'file_ids') ?? null,
          valueAtPath(before.requestJson, 'file_id') ?? null,
        ];
        return !lost.touches(shown, after.exchange);
      };
      const sifted = (found: Iterable<E>): E[] =>
        [...found].filter((evidence) => {
          if (check(evidence).length === 0) return true;
          deferred.add(() => (isWhole(evidence) ? evidence : null));
          return false;
        });
      return {
        call: (call) => {
          if (call.operation.id !== 'deleteFile') return sifted(inner.call(call));
          lost.note(call);
          return [];
        },
        finish: () => [...sifted(inner.finish?.() ?? []), ...deferred.finish()],
      };
    },
  };
}

/** Any string may be the id of a file. */
function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

// Compares responses that show the same object, if they do not overlap. A difference waits for the end of the trace, since a
// later call may explain it.

export type ObservationKind = 'created' | 'retrieved' | 'modified' | 'cancelled' | 'listed';

export interface ObjectObservation extends Evidence {
  readonly call: Call;
  readonly how: ObservationKind;
  readonly since: ObservationKind;
  readonly differences: readonly Violation[];
}

interface State {
  readonly key: readonly string[];
  readonly how: ObservationKind;
  readonly value: Json;
  readonly call: Call;
}

const REFERRING: readonly string[] = ['file_ids', 'tool_resources'];
const REFERRED: readonly string[] = ['deleteFile', 'deleteVectorStore'];

/** One selector per resource, so that its requirements share the evidence and its history is kept once. */
const observations = new WeakMap<Resource, Selector<ObjectObservation>>();

/**
 * Each response that shows an object again after its creation, its last modification or, for objects that never change, the last
 * look-up.
 */
export function objectObservations(resource: Resource): Selector<ObjectObservation> {
  return getOrMake(observations, resource, () => observationsOf(resource));
}

function observationsOf(resource: Resource): Selector<ObjectObservation> {
  const { retrieve, create, modify, list: listing, remove, cancel, touchedBy = [], variant } = resource;
  const own = [retrieve, create, listing, modify, remove, cancel].filter((id) => id !== undefined);
  const referred = lastingFields(resource).some((field) => REFERRING.includes(field)) ? REFERRED : [];
  return {
    operations: [...new Set([...own, ...touchedBy, ...referred])],
    variant: variant ?? null,
    everyVariant: [modify, remove, ...touchedBy, ...referred].filter((id) => id !== undefined),
    needs: `two answers with the fields of the same ${resource.noun}`,
    collect: () => new ShowCollector(resource),
  };
}

class ShowCollector implements Collector<ObjectObservation> {
  readonly #resource: Resource;
  readonly #fields: readonly string[];
  readonly #states = new LruMap<State>(KEPT);
  readonly #changes = new Timeline();
  readonly #lost = new DeletedFiles();
  readonly #outside = new OutsideTouches();
  readonly #deferred = new Deferred<ObjectObservation>();

  constructor(resource: Resource) {
    this.#resource = resource;
    this.#fields = lastingFields(resource);
  }

  call(call: Call): readonly ObjectObservation[] {
    const { create, retrieve, cancel, list: listing } = this.#resource;
    switch (call.operation.id) {
      case create:
        this.#learn(stateShown(call, 'created', keyOf(call, textAt(call.responseJson, 'id'))), call);
        return [];
      case retrieve:
        return this.#look(stateShown(call, 'retrieved', keyOf(call)), '');
      case cancel:
        return this.#look(stateShown(call, 'cancelled', keyOf(call)), '');
      case listing:
        return this.#lookAtAll(call);
      default:
        if (!REFERRED.includes(call.operation.id)) return this.#change(call);
        this.#lost.note(call);
        return [];
    }
  }

  /** An outside call may have changed the object. */
  outside(call: OutsideCall): void {
    this.#outside.note(call);
  }

  finish(): readonly ObjectObservation[] {
    return this.#deferred.finish();
  }

  #lookAtAll(page: Call): readonly ObjectObservation[] {
    const found: ObjectObservation[] = [];
    for (const [i, value] of arrayAt(page.responseJson, 'data').entries()) {
      const shown = { how: 'listed', value, call: page, key: keyOf(page, textAt(value, 'id')) } as const;
      found.push(...this.#look(shown, `/data/${i}`));
    }
    return found;
  }

  #change(call: Call): readonly ObjectObservation[] {
    const { modify, touchedBy = [] } = this.#resource;
    const { exchange } = call;
    const key = keyOf(call);
    const target = key.slice(-1);
    const noteChange = (): void => {
      if (!mayHaveSucceeded(call)) return;
      for (const id of touchedBy.includes(call.operation.id) ? key : target) this.#changes.note(id, exchange);
    };
    if (call.operation.id !== modify || !isOwn(call, this.#resource)) {
      noteChange();
      return [];
    }
    const state = stateShown(call, 'modified', key);
    const found = call.responseJson === undefined ? [] : this.#look(state, '');
    const isTorn = this.#changes.isChanged(target, exchange, exchange);
    noteChange();
    this.#learn(state, isTorn ? null : call);
    return found;
  }

  /** The effect of a rejected modification is unknown, and so is the order of concurrent ones. */
  #learn(state: State, call: Call | null): void {
    const key = JSON.stringify(state.key);
    if (isObject(call?.responseJson)) this.#states.set(key, state);
    else this.#states.delete(key);
  }

  #look(shown: State, at: string): readonly ObjectObservation[] {
    const key = JSON.stringify(shown.key);
    const earlier = this.#states.get(key);
    if (!isObject(shown.value)) return [];
    if (
      this.#resource.isFixed &&
      (earlier === undefined || earlier.how === 'retrieved' || earlier.how === 'listed')
    )
      this.#states.set(key, shown);
    if (earlier === undefined || !precedes(earlier.call.exchange, shown.call.exchange)) return [];
    if (this.#isChanged(earlier, shown.call)) return [];
    const found = this.#unexplained(this.#showOf(earlier, shown, at), earlier);
    if (found.differences.length === 0) return [found];
    this.#deferred.add(() => {
      const settled = this.#unexplained(found, earlier);
      return settled.differences.length === 0 || this.#isChanged(earlier, shown.call) ? null : settled;
    });
    return [];
  }

  /** Drops the differences that the deletion of a file or store may explain. */
  #unexplained(found: ObjectObservation, earlier: State): ObjectObservation {
    if (found.differences.length === 0) return found;
    const { exchange } = found.call;
    const isExplained = ({ at }: Violation): boolean =>
      this.#lost.touches(valueAtPath(earlier.value, at.split('/').at(-1) ?? ''), exchange);
    return { ...found, differences: found.differences.filter((one) => !isExplained(one)) };
  }

  #showOf(earlier: State, shown: State, at: string): ObjectObservation {
    const asked = shown.how === 'modified' ? shown.call.requestJson : undefined;
    const { follows = {}, growing } = this.#resource;
    const isGrowing = growing !== undefined && valueAtPath(earlier.value, 'status') === growing.while;
    const isNamed = (field: string): boolean => valueAtPath(asked, field) !== undefined;
    const fields = this.#fields.filter((field) => {
      const isFree = isNamed(field) || follows[field]?.some(isNamed) === true;
      return !isFree && !(isGrowing && growing.fields.includes(field));
    });
    const by = earlier.call.exchange.id;
    return {
      call: shown.call,
      how: shown.how,
      since: earlier.how,
      differences: fieldDifferences(fields, { value: earlier.value, by }, shown.value, at),
      exchanges: [earlier.call.exchange, shown.call.exchange],
    };
  }

  #isChanged({ key, call: { exchange } }: State, shown: Call): boolean {
    if (this.#changes.isChanged(key, exchange, shown.exchange)) return true;
    return this.#outside.touched(key.slice(-1), exchange, shown.exchange);
  }
}

function stateShown(call: Call, how: ObservationKind, key: readonly string[]): State {
  return { how, value: call.responseJson ?? null, call, key };
}

function keyOf({ path }: Call, id?: string): readonly string[] {
  const key = Object.values(path);
  if (id !== undefined) key.push(id);
  return key;
}

function isOwn({ variant }: Call, resource: Resource): boolean {
  return resource.variant === undefined || variant?.name === resource.variant;
}

// Fields that change by themselves but do not become empty again once a job has ended.

export interface LaterLook extends Evidence {
  readonly losses: readonly Violation[];
}

interface Look {
  readonly id: string;
  readonly value: Json;
  readonly call: Call;
}

const DELETING: readonly string[] = ['deleteFile', 'deleteModel'];

type Keeps = NonNullable<Resource['keeps']>;

export function laterLooks(resource: Resource, keeps: Keeps): Selector<LaterLook> {
  return {
    operations: [...showing(resource), ...DELETING],
    variant: resource.variant ?? null,
    everyVariant: DELETING,
    needs: `two answers with the content of the same ${resource.noun}`,
    collect: () => new LookCollector(keeps),
  };
}

function showing({ create, retrieve, cancel, list }: Resource): readonly string[] {
  return [create, retrieve, cancel, list].filter((id) => id !== undefined);
}

class LookCollector implements Collector<LaterLook> {
  readonly #keeps: Keeps;
  readonly #latest = new LruMap<Look>(KEPT);
  readonly #deleted = new DeletedFiles();
  readonly #outside = new OutsideTouches();
  readonly #deferred = new Deferred<LaterLook>();

  constructor(keeps: Keeps) {
    this.#keeps = keeps;
  }

  call(call: Call): readonly LaterLook[] {
    if (DELETING.includes(call.operation.id)) {
      this.#deleted.note(call);
      return [];
    }
    const { responseJson: answer } = call;
    if (answer === undefined) return [];
    if (call.operation.list === null) return this.#look(answer, call, '');
    return arrayAt(answer, 'data').flatMap((value, i) => this.#look(value, call, `/data/${i}`));
  }

  outside(call: OutsideCall): void {
    this.#outside.note(call);
  }

  finish(): readonly LaterLook[] {
    return this.#deferred.finish();
  }

  /** Overlapping responses have no order. */
  #look(value: Json, call: Call, at: string): readonly LaterLook[] {
    const id = textAt(value, 'id');
    if (id === undefined) return [];
    const later = { id, value, call };
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
    const look = { losses, exchanges: [earlier.call.exchange, call.exchange] };
    if (losses.length === 0) return [look];
    const [since, until] = [earlier.call.exchange, call.exchange];
    // The deletion of a file or model, or an outside call, may explain a loss.
    const isExplained = () =>
      this.#deleted.touches(earlier.value, until) || this.#outside.touched([id], since, until);
    this.#deferred.add(() => (isExplained() ? null : look));
    return [];
  }

  #fieldsOf(earlier: Json, later: Json): readonly string[] {
    const { always = [], ended } = this.#keeps;
    const state = textAt(earlier, 'status') ?? '';
    const isSettled = ended.states.includes(state) && textAt(later, 'status') === state;
    return isSettled ? [...always, ...ended.fields] : always;
  }
}

/** Values with content that are empty later. Missing fields are not compared. */
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
    lossesIn(one, later[name], { at: `${at}/${name}`, by }),
  );
}

/** One mutant per field that a job keeps: a response shows it as empty. */
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

// Lists after deletions. An object that was created again under its id counts as present; overlapping calls prove nothing.

export interface PageAfterDeletion extends Evidence {
  readonly call: Call;
  /** Objects deleted before the page: by id, the exchange that deleted each. */
  readonly deleted: ReadonlyMap<string, string>;
}

export function pagesAfterDeletion(
  resource: Resource,
  remove: string,
  listing: string,
): Selector<PageAfterDeletion> {
  return {
    operations: [listing, remove, ...restoringOperations(resource)],
    variant: resource.variant ?? null,
    everyVariant: [remove],
    needs: `a page of ${listing} that began after ${remove} had answered with 2xx`,
    collect: () => new Deletions(remove, listing),
  };
}

class Deletions implements Collector<PageAfterDeletion> {
  readonly #remove: string;
  readonly #listing: string;
  readonly #deleted = new LruMap<LruMap<TraceSpan & { readonly by: string }>>(KEPT);
  readonly #makings = new Timeline();
  readonly #deferred = new Deferred<PageAfterDeletion>();

  constructor(remove: string, listing: string) {
    this.#remove = remove;
    this.#listing = listing;
  }

  call(call: Call): readonly PageAfterDeletion[] {
    const { exchange, operation, path } = call;
    if (operation.id === this.#listing) return this.#page(call);
    const ids = Object.values(path);
    if (operation.id === this.#remove) {
      const id = ids.pop();
      if (id === undefined || valueAtPath(call.responseJson, 'deleted') !== true) return [];
      const { after, ended } = exchange;
      // The order of an overlapping deletion and creation is unknown.
      if (this.#isMade(ids, id, exchange, exchange)) this.#deletedBelow(ids).delete(id);
      else this.#deletedBelow(ids).set(id, { after, ended, by: exchange.id });
    } else if (call.responseClass !== 'rejected') {
      // Created again under the same id, such as a file that is attached again.
      for (const id of restoredIds(call)) this.#recordCreation(ids, id, exchange);
    }
    return [];
  }

  outside({ exchange, target, owners, deletes }: OutsideCall): void {
    if (!deletes) this.#recordCreation(owners, target, exchange);
  }

  finish(): readonly PageAfterDeletion[] {
    return this.#deferred.finish();
  }

  #recordCreation(owners: readonly string[], id: string, making: TraceSpan): void {
    this.#deletedBelow(owners).delete(id);
    this.#makings.note(JSON.stringify([...owners, id]), making);
  }

  #isMade(owners: readonly string[], id: string, since: TraceSpan, until: TraceSpan): boolean {
    return this.#makings.isChanged([JSON.stringify([...owners, id])], since, until);
  }

  #page(call: Call): readonly PageAfterDeletion[] {
    if (call.responseJson === undefined) return [];
    const owners = Object.values(call.path);
    const earlier = [...this.#deletedBelow(owners).entries()].filter(([, span]) =>
      precedes(span, call.exchange),
    );
    if (earlier.length === 0) return [];
    const pageWith = (deletions: typeof earlier): PageAfterDeletion => ({
      call,
      deleted: new Map(deletions.map(([id, { by }]) => [id, by])),
      exchanges: [call.exchange],
    });
    const page = pageWith(earlier);
    if (arrayAt(call.responseJson, 'data').every((one) => !page.deleted.has(textAt(one, 'id') ?? '')))
      return [page];
    // A deleted object may exist again, which shows only when all calls in flight have ended.
    this.#deferred.add(() => {
      const lasting = earlier.filter(([id, span]) => !this.#isMade(owners, id, span, call.exchange));
      return lasting.length === 0 ? null : pageWith(lasting);
    });
    return [];
  }

  #deletedBelow(owners: readonly string[]): LruMap<TraceSpan & { readonly by: string }> {
    return this.#deleted.at(JSON.stringify(owners), () => new LruMap(KEPT));
  }
}
