// Exchanges that overlap are not compared. Differences are held until the end of the trace, because a later
// call may explain them.
import { type OutsideCall, OutsideChanges } from '../../judge/trace/outside-call.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { Deferred, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { fieldDifferences } from '../vocabulary/compare.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Json, Selector, Violation } from '../vocabulary/types.ts';
import { DeletedObjects } from './deleted-objects.ts';
import { lastingFields, MAX_OBJECTS } from './objects.ts';
import type { Resource } from './resources.ts';

export type ObservationKind = 'created' | 'retrieved' | 'modified' | 'cancelled' | 'listed';

export interface ObjectObservation extends Evidence {
  readonly call: Call;
  readonly how: ObservationKind;
  readonly since: ObservationKind;
  readonly differences: readonly Violation[];
}

interface ShownState {
  /** The ids of the owners and, last, of the object. */
  readonly key: readonly string[];
  readonly how: ObservationKind;
  readonly value: Json;
  readonly call: Call;
}

const REFERRING_FIELDS: readonly string[] = ['file_ids', 'tool_resources'];
const DELETIONS_OF_REFERRED: readonly string[] = ['deleteFile', 'deleteVectorStore'];

/** One selector per resource, so that its requirements share the evidence and the history is kept only once. */
const selectors = new WeakMap<Resource, Selector<ObjectObservation>>();

/**
 * Selects each response that shows an object again after its creation, its last modification or, for objects that
 * never change, the last response that showed it.
 */
export function objectObservations(resource: Resource): Selector<ObjectObservation> {
  return getOrMake(selectors, resource, () => observationsOf(resource));
}

function observationsOf(resource: Resource): Selector<ObjectObservation> {
  const { retrieve, create, modify, list, remove, cancel, touchedBy = [], variant } = resource;
  const main = [retrieve, create, list, modify, remove, cancel].filter((id) => id !== undefined);
  const referred = lastingFields(resource).some((field) => REFERRING_FIELDS.includes(field))
    ? DELETIONS_OF_REFERRED
    : [];
  return {
    operations: [...new Set([...main, ...touchedBy, ...referred])],
    variant: variant ?? null,
    everyVariant: [modify, remove, ...touchedBy, ...referred].filter((id) => id !== undefined),
    needs: `two answers with the fields of the same ${resource.noun}`,
    collect: () => new ObservationCollector(resource),
  };
}

class ObservationCollector implements Collector<ObjectObservation> {
  readonly #resource: Resource;
  readonly #fields: readonly string[];
  readonly #states = new LruMap<ShownState>(MAX_OBJECTS);
  readonly #changes = new Timeline();
  readonly #deletedObjects = new DeletedObjects();
  readonly #outside = new OutsideChanges();
  readonly #deferred = new Deferred<ObjectObservation>();

  constructor(resource: Resource) {
    this.#resource = resource;
    this.#fields = lastingFields(resource);
  }

  call(call: Call): readonly ObjectObservation[] {
    const { create, retrieve, cancel, list, remove } = this.#resource;
    switch (call.operation.id) {
      case create:
        this.#remember(toShownState(call, 'created', keyOf(call, textAt(call.responseJson, 'id'))));
        return [];
      case retrieve:
        return this.#observe(toShownState(call, 'retrieved', keyOf(call)), '');
      case cancel:
        return this.#observe(toShownState(call, 'cancelled', keyOf(call)), '');
      case list:
        return this.#observeList(call);
      case remove:
        return this.#recordChange(call);
      default:
        if (!DELETIONS_OF_REFERRED.includes(call.operation.id)) return this.#recordChange(call);
        this.#deletedObjects.note(call);
        return [];
    }
  }

  outside(call: OutsideCall): void {
    this.#outside.note(call);
  }

  finish(): readonly ObjectObservation[] {
    return this.#deferred.finish();
  }

  #observeList(page: Call): readonly ObjectObservation[] {
    return arrayAt(page.responseJson, 'data').flatMap((value, i) => {
      const key = keyOf(page, textAt(value, 'id'));
      return this.#observe({ how: 'listed', value, call: page, key }, `/data/${i}`);
    });
  }

  #recordChange(call: Call): readonly ObjectObservation[] {
    const { modify, touchedBy = [], variant } = this.#resource;
    const { exchange } = call;
    const key = keyOf(call);
    const target = key.slice(-1);
    const noteChange = (): void => {
      if (!mayHaveSucceeded(call)) return;
      for (const id of touchedBy.includes(call.operation.id) ? key : target) this.#changes.note(id, exchange);
    };
    if (call.operation.id !== modify || (variant !== undefined && call.variant?.name !== variant)) {
      noteChange();
      return [];
    }
    const state = toShownState(call, 'modified', key);
    const comparisons = call.responseJson === undefined ? [] : this.#observe(state, '');
    const isConcurrent = this.#changes.isChanged(target, exchange, exchange);
    noteChange();
    this.#remember(state, isConcurrent);
    return comparisons;
  }

  /** Keeps the state that a creation or a change shows; forgets the earlier one if the call failed or overlapped. */
  #remember(state: ShownState, isConcurrent = false): void {
    const key = JSON.stringify(state.key);
    if (!isConcurrent && isObject(state.value)) this.#states.set(key, state);
    else this.#states.delete(key);
  }

  #observe(shown: ShownState, at: string): readonly ObjectObservation[] {
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
    const comparison = this.#dropExplained(this.#compare(earlier, shown, at), earlier);
    if (comparison.differences.length === 0) return [comparison];
    this.#deferred.add(() => {
      const settled = this.#dropExplained(comparison, earlier);
      return settled.differences.length === 0 || this.#isChanged(earlier, shown.call) ? null : settled;
    });
    return [];
  }

  #dropExplained(comparison: ObjectObservation, earlier: ShownState): ObjectObservation {
    if (comparison.differences.length === 0) return comparison;
    const { exchange } = comparison.call;
    const isExplained = ({ at }: Violation): boolean =>
      this.#deletedObjects.namesDeleted(valueAtPath(earlier.value, at.split('/').at(-1) ?? ''), exchange);
    return { ...comparison, differences: comparison.differences.filter((one) => !isExplained(one)) };
  }

  #compare(earlier: ShownState, shown: ShownState, at: string): ObjectObservation {
    const requested = shown.how === 'modified' ? shown.call.requestJson : undefined;
    const { follows = {}, growing } = this.#resource;
    const isGrowing = growing !== undefined && valueAtPath(earlier.value, 'status') === growing.while;
    const isNamed = (field: string): boolean => valueAtPath(requested, field) !== undefined;
    const fields = this.#fields.filter((field) => {
      const mayChange = isNamed(field) || follows[field]?.some(isNamed) === true;
      return !mayChange && !(isGrowing && growing.fields.includes(field));
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

  #isChanged({ key, call: { exchange } }: ShownState, shown: Call): boolean {
    if (this.#changes.isChanged(key, exchange, shown.exchange)) return true;
    return this.#outside.mayHaveChanged(key.slice(-1), exchange, shown.exchange);
  }
}

function toShownState(call: Call, how: ObservationKind, key: readonly string[]): ShownState {
  return { how, value: call.responseJson ?? null, call, key };
}

function keyOf({ path }: Call, id?: string): readonly string[] {
  const key = Object.values(path);
  if (id !== undefined) key.push(id);
  return key;
}
