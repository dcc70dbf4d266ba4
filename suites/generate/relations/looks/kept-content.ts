// Fields that move by themselves, but do not become empty again: what an answer has shown of a job that ended, a later
// one does not hide.

import { OutsideTouches } from '../../../../judge/trace/outside-call.ts';
import { setIn } from '../../../vocabulary/changes.ts';
import { LruMap } from '../../../vocabulary/collecting.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../../../vocabulary/json.ts';
import { section, violation } from '../../../vocabulary/statements.ts';
import type {
  BehaviourRequirement,
  Call,
  Collector,
  Evidence,
  Json,
  Mutation,
  Selector,
  Violation,
} from '../../../vocabulary/types.ts';
import { endedBefore } from '../../lists/selectors/removals.ts';
import { briefValue, isEmpty } from '../compare.ts';
import { DeletedFiles } from '../deleted-files.ts';
import { type Resource, withArticle } from '../resource.ts';

/** Two answers about one object, the first of which had ended before the second began. */
export interface LaterLook extends Evidence {
  /** Where the later one is empty and the earlier one is not. */
  readonly losses: readonly Violation[];
}

/** An object as one answer shows it. */
interface Look {
  readonly id: string;
  readonly value: Json;
  readonly call: Call;
}

/** A later look that accuses, held until the end of the trace, since a later call may explain it. */
interface Waiting {
  readonly look: LaterLook;
  readonly earlier: Look;
  readonly later: Look;
}

/** Deletions of what other objects name. */
const DELETING: readonly string[] = ['deleteFile', 'deleteModel'];
/** So many objects are kept in mind, least recently used dropped. */
const OBJECTS = 1000;
/** So many accusing looks wait for the end of the trace; further ones are lost evidence. */
const WAITING = 64;

/** That an object does not lose the content of fields which move; empty where the resource names none. */
export function keptContentRequirements(resource: Resource): readonly BehaviourRequirement<LaterLook>[] {
  const { area, noun, keeps, spec } = resource;
  if (keeps === undefined) return [];
  return [
    section(spec).implied(`${area}.shown.keeps-content`, {
      says: `${withArticle(noun)} that has ended does not lose what an earlier answer showed of its result.`,
      selector: laterLooks(resource, keeps),
      check: ({ losses }) => losses,
      mutations: emptied(resource, keeps),
    }),
  ];
}

/** The fields that a resource keeps. */
type Keeps = NonNullable<Resource['keeps']>;

/** Evidence of two answers about one object, where the resource says that some content stays. */
function laterLooks(resource: Resource, keeps: Keeps): Selector<LaterLook> {
  return {
    operations: [...showing(resource), ...DELETING],
    variant: resource.variant ?? null,
    everyVariant: DELETING,
    // Objects of one kind alone are related, so its noun is enough.
    needs: `two answers with the content of the same ${resource.noun}`,
    collect: () => new LookCollector(keeps),
  };
}

/** The operations whose answers show the object. */
function showing({ create, retrieve, cancel, list }: Resource): readonly string[] {
  return [create, retrieve, cancel, list].filter((id) => id !== undefined);
}

/** Compares each look at an object with the one before it. */
class LookCollector implements Collector<LaterLook> {
  readonly #keeps: Keeps;
  /** By id of the object, the answer that ended last. */
  readonly #latest = new LruMap<Look>(OBJECTS);
  /** Files and models that may leave an object. */
  readonly #deleted = new DeletedFiles();
  /** Calls whose effect is not known. */
  readonly #outside = new OutsideTouches();
  readonly #waiting: Waiting[] = [];

  constructor(keeps: Keeps) {
    this.#keeps = keeps;
  }

  /** Evidence without losses; evidence with losses waits for the end of the trace. */
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

  /** The objects that such a call names may be anything afterwards. */
  outside(call: Parameters<OutsideTouches['note']>[0]): void {
    this.#outside.note(call);
  }

  /** A file or model that is deleted may leave the object, and calls outside the specification may change anything. */
  finish(): readonly LaterLook[] {
    return this.#waiting.flatMap(({ look, earlier, later }) => {
      const [since, until] = [earlier.call.exchange, later.call.exchange];
      const isExplained =
        this.#deleted.touches(earlier.value, until) || this.#outside.touched([later.id], since, until);
      return isExplained ? [] : [look];
    });
  }

  /** Compares an object with its last look, and remembers it. Overlapping answers have no order. */
  #look(value: Json, call: Call, at: string): readonly LaterLook[] {
    const id = textAt(value, 'id');
    if (id === undefined) return [];
    const later = { id, value, call };
    const earlier = this.#latest.get(id);
    if (earlier === undefined || !endedBefore(earlier.call.exchange, call.exchange)) {
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
    if (this.#waiting.length < WAITING) this.#waiting.push({ look, earlier, later });
    return [];
  }

  /** The fields that both looks have to show alike in their content. */
  #fieldsOf(earlier: Json, later: Json): readonly string[] {
    const { always = [], ended } = this.#keeps;
    const state = textAt(earlier, 'status') ?? '';
    const isSettled = ended.states.includes(state) && textAt(later, 'status') === state;
    return isSettled ? [...always, ...ended.fields] : always;
  }
}

/** Values with content that are empty later; what the later answer leaves out is not compared. */
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

/** Empties fields in the answers of one operation, which others show. */
function emptied(resource: Resource, { always = [], ended }: Keeps): Readonly<Record<string, Mutation>> {
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

/** Nothing in place of a value. */
function withoutContent(value: Json | undefined): Json {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : null;
}
