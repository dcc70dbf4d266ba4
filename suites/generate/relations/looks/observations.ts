// Evidence about objects that several responses show. Only responses that do not overlap are compared;
// differences that a later exchange may explain wait until the end of the trace.
import { type OutsideCall, OutsideTouches } from '../../../../judge/trace/outside-call.ts';

import { LruMap } from '../../../vocabulary/collecting.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../../../vocabulary/json.ts';
import type { Call, Collector, Evidence, Json, Selector, Violation } from '../../../vocabulary/types.ts';
import { endedBefore, RemovedElements } from '../../lists/selectors/removals.ts';
import { fieldDifferences } from '../compare.ts';
import { DeletedFiles } from '../deleted-files.ts';
import { lastingFields, type Resource } from '../resource.ts';

/** The kind of response that shows an object. */
export type ObservationKind = 'created' | 'retrieved' | 'modified' | 'cancelled' | 'listed';

/** Two answers about one object, the first of which had ended before the second began. */
export interface ObjectObservation extends Evidence {
  /** The call that shows the object. */
  readonly call: Call;
  readonly how: ObservationKind;
  /** The kind of the earlier response. */
  readonly since: ObservationKind;
  /** Where they disagree in what nothing should have changed in between. */
  readonly differences: readonly Violation[];
}

/** The latest authoritative report of an object. */
interface State {
  readonly key: readonly string[];
  readonly how: ObservationKind;
  readonly value: Json;
  readonly call: Call;
}

/**
 * An observation with a difference, held until the end of the trace, since a later exchange may explain
 * it.
 */
interface Waiting {
  readonly observation: ObjectObservation;
  readonly earlier: State;
  readonly call: Call;
}

/** Fields that name files and stores, and the operations that delete these. */
const REFERRING: readonly string[] = ['file_ids', 'tool_resources'];
/** Deletions of objects whose ids other objects contain. */
const REFERRED: readonly string[] = ['deleteFile', 'deleteVectorStore'];
/** So many objects are kept in mind, least recently used dropped. */
const OBJECTS = 1000;
/** So many disagreements wait for the end of the trace; further ones are lost evidence. */
const WAITING = 64;

/**
 * Each response that shows an object again after its creation, its last modification or, where nothing changes
 * it, the last look-up of it.
 */
export function objectObservations(resource: Resource): Selector<ObjectObservation> {
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

/** Compares each report of an object with the latest one that ended before it. */
class ShowCollector implements Collector<ObjectObservation> {
  readonly #resource: Resource;
  readonly #fields: readonly string[];
  readonly #states = new LruMap<State>(OBJECTS);
  readonly #changes = new RemovedElements();
  readonly #lost = new DeletedFiles();
  readonly #outside = new OutsideTouches();
  #waiting: Waiting[] = [];

  constructor(resource: Resource) {
    this.#resource = resource;
    this.#fields = lastingFields(resource);
  }

  call(call: Call): readonly ObjectObservation[] {
    const { create, retrieve, cancel, list: listing } = this.#resource;
    switch (call.operation.id) {
      case create:
        this.#learn({ ...seen(call, 'created'), key: keyOf(call, textAt(call.responseJson, 'id')) }, call);
        return [];
      case retrieve:
        return this.#look({ ...seen(call, 'retrieved'), key: keyOf(call) }, '');
      case cancel:
        return this.#look({ ...seen(call, 'cancelled'), key: keyOf(call) }, '');
      case listing:
        return arrayAt(call.responseJson, 'data').flatMap((value, i) => {
          const key = keyOf(call, textAt(value, 'id'));
          return this.#look({ how: 'listed', value, call, key }, `/data/${i}`);
        });
      default:
        return REFERRED.includes(call.operation.id) ? this.#lose(call) : this.#change(call);
    }
  }

  /** What it names may look different afterwards. */
  outside(call: OutsideCall): void {
    this.#outside.note(call);
    this.#dropChanged();
  }

  finish(): readonly ObjectObservation[] {
    return this.#waiting.map(({ observation: show }) => show);
  }

  /** Records the deletion of a file or store; differences that it may explain are dropped. */
  #lose(call: Call): readonly ObjectObservation[] {
    this.#lost.note(call);
    this.#waiting = this.#waiting
      .map((one) => ({ ...one, observation: { ...one.observation, differences: this.#unexplained(one) } }))
      .filter(({ observation: show }) => show.differences.length > 0);
    return [];
  }

  /** Fields that name a deleted object may change by themselves. */
  #unexplained({ observation: show, earlier, call }: Waiting): readonly Violation[] {
    return show.differences.filter(
      ({ at }) => !this.#lost.touches(valueAtPath(earlier.value, at.split('/').at(-1) ?? ''), call.exchange),
    );
  }

  /** Records a call that may have changed the object, and compares the response of a modification. */
  #change(call: Call): readonly ObjectObservation[] {
    const { modify, touchedBy = [] } = this.#resource;
    const state = { ...seen(call, 'modified'), key: keyOf(call) };
    const isModified = call.operation.id === modify && isOwn(call, this.#resource);
    const found = isModified && call.responseJson !== undefined ? this.#look(state, '') : [];
    const { exchange } = call;
    const isTorn = this.#changes.touched(state.key.slice(-1), exchange, exchange);
    if (!['rejected', 'refused', 'absent'].includes(call.responseClass)) {
      const ids = touchedBy.includes(call.operation.id) ? state.key : state.key.slice(-1);
      for (const id of ids) this.#changes.note(id, exchange);
    }
    this.#dropChanged();
    if (isModified) this.#learn(state, isTorn ? null : call);
    return found;
  }

  /** The effect of a rejected modification is unknown, and so is the order of two at a time. */
  #learn(state: State, call: Call | null): void {
    const key = JSON.stringify(state.key);
    if (isObject(call?.responseJson)) this.#states.set(key, state);
    else this.#states.delete(key);
  }

  /** Evidence for a report that can be compared with an earlier one. */
  #look(shown: State, at: string): readonly ObjectObservation[] {
    const key = JSON.stringify(shown.key);
    const earlier = this.#states.get(key);
    if (!isObject(shown.value)) return [];
    if (
      this.#resource.isFixed &&
      (earlier === undefined || earlier.how === 'retrieved' || earlier.how === 'listed')
    )
      this.#states.set(key, shown);
    if (earlier === undefined || !endedBefore(earlier.call.exchange, shown.call.exchange)) return [];
    if (this.#isChanged(earlier, shown.call)) return [];
    const found = this.#showOf(earlier, shown, at);
    const show = {
      ...found,
      differences: this.#unexplained({ observation: found, earlier, call: shown.call }),
    };
    if (show.differences.length === 0) return [show];
    if (this.#waiting.length < WAITING) this.#waiting.push({ observation: show, earlier, call: shown.call });
    return [];
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

  /** Drops what waits and a call that is known by now may explain. */
  #dropChanged(): void {
    this.#waiting = this.#waiting.filter(({ earlier, call: shown }) => !this.#isChanged(earlier, shown));
  }

  /** Whether anything else may have changed it between the two. */
  #isChanged({ key, call: { exchange } }: State, shown: Call): boolean {
    if (this.#changes.touched(key, exchange, shown.exchange)) return true;
    return this.#outside.touched(key.slice(-1), exchange, shown.exchange);
  }
}

function seen(call: Call, how: ObservationKind): Omit<State, 'key'> {
  return { how, value: call.responseJson ?? null, call };
}

/** Ids of the owners, then its own. */
function keyOf({ path }: Call, id?: string): readonly string[] {
  return [...Object.values(path), ...(id === undefined ? [] : [id])];
}

/** Whether a call uses the form of the resource, where the operation has two. */
function isOwn({ variant }: Call, resource: Resource): boolean {
  return resource.variant === undefined || variant?.name === resource.variant;
}
