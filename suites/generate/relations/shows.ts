import type { Json } from '../../../exchange/body.ts';
import type { Call } from '../../../judge/call.ts';
import { get, isObject, list, text } from '../../../judge/json.ts';
import { Keyed } from '../../../judge/keyed.ts';
import type { Collector, Complaint, Evidence, Selector } from '../../../judge/requirement.ts';
import { isOver, Removals } from '../lists/removals.ts';
import { differences } from './compare.ts';
import { Losses } from './losses.ts';
import { lastingFields, type Resource } from './resource.ts';

/** How an answer comes to tell of an object. */
export type How = 'created' | 'retrieved' | 'modified' | 'listed';

/** Two answers about one object, the first of which had ended before the second began. */
export interface Show extends Evidence {
  readonly call: Call;
  readonly how: How;
  /** How the earlier answer came to tell of it. */
  readonly since: How;
  /** Where they disagree in what nothing should have changed in between. */
  readonly differences: readonly Complaint[];
}

interface State {
  readonly key: readonly string[];
  readonly how: How;
  readonly value: Json;
  readonly call: Call;
}

interface Waiting {
  readonly show: Show;
  readonly told: State;
  readonly call: Call;
}

/** Fields that name files and stores, and the operations that delete these. */
const REFERRING: readonly string[] = ['file_ids', 'tool_resources'];
const REFERRED: readonly string[] = ['deleteFile', 'deleteVectorStore'];
/** So many objects are kept in mind, least recently used dropped. */
const OBJECTS = 1000;
/** So many disagreements wait for the end of the trace; further ones are lost evidence. */
const WAITING = 64;

/** Whatever tells of an object again after its creation, its last modification or, where nothing changes it, the last look at it. */
export function shows(resource: Resource): Selector<Show> {
  const { retrieve, create, modify, list: listing, remove, touchedBy = [], variant } = resource;
  const own = [retrieve, create, listing, modify, remove].filter((id) => id !== undefined);
  const referred = lastingFields(resource).some((field) => REFERRING.includes(field)) ? REFERRED : [];
  return {
    operations: [...new Set([...own, ...touchedBy, ...referred])],
    variant: variant ?? null,
    everyVariant: [modify, remove, ...touchedBy, ...referred].filter((id) => id !== undefined),
    collect: () => new ShowCollector(resource),
  };
}

class ShowCollector implements Collector<Show> {
  readonly #resource: Resource;
  readonly #fields: readonly string[];
  readonly #states = new Keyed<State>(OBJECTS);
  readonly #changes = new Removals();
  readonly #lost = new Losses();
  #waiting: Waiting[] = [];

  constructor(resource: Resource) {
    this.#resource = resource;
    this.#fields = lastingFields(resource);
  }

  call(call: Call): readonly Show[] {
    const { create, retrieve, list: listing } = this.#resource;
    switch (call.operation.id) {
      case create:
        this.#learn({ ...seen(call, 'created'), key: keyOf(call, text(call.answer, 'id')) }, call);
        return [];
      case retrieve:
        return this.#look({ ...seen(call, 'retrieved'), key: keyOf(call) }, '');
      case listing:
        return list(call.answer, 'data').flatMap((value, i) => {
          const key = keyOf(call, text(value, 'id'));
          return this.#look({ how: 'listed', value, call, key }, `/data/${i}`);
        });
      default:
        return REFERRED.includes(call.operation.id) ? this.#lose(call) : this.#change(call);
    }
  }

  finish(): readonly Show[] {
    return this.#waiting.map(({ show }) => show);
  }

  #lose(call: Call): readonly Show[] {
    this.#lost.note(call);
    this.#waiting = this.#waiting
      .map((one) => ({ ...one, show: { ...one.show, differences: this.#unexplained(one) } }))
      .filter(({ show }) => show.differences.length > 0);
    return [];
  }

  /** What names something that is deleted may change by itself. */
  #unexplained({ show, told, call }: Waiting): readonly Complaint[] {
    return show.differences.filter(({ at }) => {
      return !this.#lost.touches(get(told.value, at.split('/').at(-1) ?? ''), call.exchange);
    });
  }

  #change(call: Call): readonly Show[] {
    const { modify, touchedBy = [] } = this.#resource;
    const state = { ...seen(call, 'modified'), key: keyOf(call) };
    const isModified = call.operation.id === modify && isOwn(call, this.#resource);
    const found = isModified && call.answer !== undefined ? this.#look(state, '') : [];
    const { exchange } = call;
    const isTorn = this.#changes.touched(state.key.slice(-1), exchange, exchange);
    if (!['rejected', 'refused', 'absent'].includes(call.outcome)) {
      const ids = touchedBy.includes(call.operation.id) ? state.key : state.key.slice(-1);
      for (const id of ids) this.#changes.note(id, exchange);
    }
    this.#waiting = this.#waiting.filter(({ told, call: shown }) => !this.#isChanged(told, shown));
    if (isModified) this.#learn(state, isTorn ? null : call);
    return found;
  }

  /** Nobody knows what a refused modification left behind, or which of two at a time came last. */
  #learn(state: State, call: Call | null): void {
    const key = JSON.stringify(state.key);
    if (isObject(call?.answer)) this.#states.set(key, state);
    else this.#states.delete(key);
  }

  #look(shown: State, at: string): readonly Show[] {
    const key = JSON.stringify(shown.key);
    const told = this.#states.get(key);
    if (!isObject(shown.value)) return [];
    if (this.#resource.isFixed && (told === undefined || told.how === 'retrieved' || told.how === 'listed'))
      this.#states.set(key, shown);
    if (told === undefined || !isOver(told.call.exchange, shown.call.exchange)) return [];
    if (this.#isChanged(told, shown.call)) return [];
    const found = this.#showOf(told, shown, at);
    const show = { ...found, differences: this.#unexplained({ show: found, told, call: shown.call }) };
    if (show.differences.length === 0) return [show];
    if (this.#waiting.length < WAITING) this.#waiting.push({ show, told, call: shown.call });
    return [];
  }

  #showOf(told: State, shown: State, at: string): Show {
    const asked = shown.how === 'modified' ? shown.call.asked : undefined;
    const { follows = {}, growing } = this.#resource;
    const isGrowing = growing !== undefined && get(told.value, 'status') === growing.while;
    const isNamed = (field: string): boolean => get(asked, field) !== undefined;
    const fields = this.#fields.filter((field) => {
      const isFree = isNamed(field) || follows[field]?.some(isNamed) === true;
      return !isFree && !(isGrowing && growing.fields.includes(field));
    });
    const by = told.call.exchange.id;
    return {
      call: shown.call,
      how: shown.how,
      since: told.how,
      differences: differences(fields, { value: told.value, by }, shown.value, at),
      exchanges: [told.call.exchange, shown.call.exchange],
    };
  }

  /** Whether anything else may have changed it between the two. */
  #isChanged(told: State, shown: Call): boolean {
    return this.#changes.touched(told.key, told.call.exchange, shown.exchange);
  }
}

function seen(call: Call, how: How): Omit<State, 'key'> {
  return { how, value: call.answer ?? null, call };
}

/** Ids of the owners, then its own. */
function keyOf({ path }: Call, id?: string): readonly string[] {
  return [...Object.values(path), ...(id === undefined ? [] : [id])];
}

function isOwn({ variant }: Call, resource: Resource): boolean {
  return resource.variant === undefined || variant?.name === resource.variant;
}
