// Requirements and choices as rows of data: `requirements.json` and `choices.json` beside the suites of a family. This module
// turns rows into the objects that code defines with `section(…)` and `choiceOf(…)`.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { arrayAt, isObject, numberAt } from '../../judge/evidence/json.ts';
import { choice, requirement } from '../../judge/requirements/define.ts';
import type {
  Basis,
  BehaviourRequirement,
  Choice,
  ChoiceLiteral,
  Evidence,
  Selector,
} from '../../judge/requirements/requirement.ts';
import type { Json } from '../../schemas/json.ts';
import { dataFiles, SUITES } from '../data/family-data.ts';
import { type BrokenBy, brokenBy, type EditRow } from './edits.ts';
import {
  type Conditions,
  conditionsOf,
  type Expect,
  expectation,
  type Given,
  given,
  type NamedEvidence,
} from './given.ts';
import { type Place, valueReader } from './places.ts';

/** A `requirements.json`; `requirements.schema.json` describes it. */
interface RequirementsFile {
  /** Part and section of the specification, for the rows that name none. */
  readonly spec?: string;
  readonly requirements: readonly RequirementRow[];
}

/** One requirement: `must` or `should` is its sentence. */
interface RequirementRow {
  readonly id: string;
  readonly must?: string;
  readonly should?: string;
  readonly basis: Basis;
  readonly spec?: string;
  readonly given: Given;
  readonly expect: Expect;
  readonly broken_by: BrokenBy;
}

/** The requirements of all files. `named`: the evidence that the families collect by code. */
export function requirementRows(named: NamedEvidence): readonly BehaviourRequirement<Evidence>[] {
  return dataFiles('requirements.json').flatMap((path) => {
    const { text, json } = readJson<RequirementsFile>(path);
    return json.requirements.map((row) =>
      at(path, text, row.id, () =>
        requirementOf({ ...(json.spec !== undefined && { spec: json.spec }), ...row }, named),
      ),
    );
  });
}

/** Compiles one row. Throws where a word or an evidence of it is unknown. */
export function requirementOf(
  row: RequirementRow,
  named: NamedEvidence = {},
): BehaviourRequirement<Evidence> {
  return requirement({
    id: row.id,
    level: row.must === undefined ? 'SHOULD' : 'MUST',
    basis: row.basis,
    spec: row.spec ?? '',
    says: row.must ?? row.should ?? '',
    selector: given(row.given, named),
    check: expectation(row.expect),
    mutations: brokenBy(row.broken_by),
  });
}

/** A choice as data; those without `given` and `shown` are read by code. */
interface ChoiceRow extends Omit<Choice<Evidence>, 'id' | 'selector' | 'taken' | 'examples'> {
  readonly given?: Given;
  readonly shown?: Shown;
  readonly examples?: Readonly<Record<string, EditRow | readonly EditRow[]>>;
}

/** How evidence shows an alternative: exactly one of the first members, whose names may be replaced. */
export interface Shown {
  /** The text or number at a place. */
  readonly value?: Place;
  /** `absent`, `null`, `empty` for a text, list or object without content, else `present`: the names of the last two. */
  readonly state?: { readonly of: Place; readonly present: string; readonly empty?: string };
  /** The names of the fields of an object, sorted. */
  readonly keys?: Place;
  /** As `keys`, or `absent` or `null`. */
  readonly form?: Place;
  /** `string`, `number`, `boolean`, `object`. */
  readonly type?: Place;
  /** `accepted` and any other outcome; `rejected_only`: others than 2xx and a rejection show nothing. */
  readonly outcome?: {
    readonly accepted: string;
    readonly otherwise?: string;
    readonly rejected_only?: true;
  };
  /** The change of a text of a pair: `queued to running`. */
  readonly change?: Place;
  /** The next value after this one. */
  readonly after?: { readonly of: Place; readonly value: string };
  /** `newest first`, `oldest first` or `neither`, by a time of the elements of `data`. */
  readonly order?: string;
  /** The first alternative whose tests hold. */
  readonly cases?: Readonly<Record<string, Conditions>>;
  /** Names in place of those that the members above give. */
  readonly names?: Readonly<Record<string, string>>;
  /** The name of every alternative that `names` does not list, and of nothing at the place. */
  readonly otherwise?: string;
  /** `refused` for a rejection; nothing for any other response without JSON. */
  readonly unless_refused?: true;
}

/** How the alternative that a target takes is seen, where code reads it. */
type Reading<E extends Evidence> = Pick<ChoiceLiteral<E>, 'selector' | 'taken' | 'examples'>;

/** Read once for each process. */
let known:
  | ReadonlyMap<string, { readonly row: ChoiceRow; readonly path: string; readonly text: string }>
  | undefined;

/** The rows of all choices by their ids. */
export function choiceRows(): ReadonlyMap<
  string,
  { readonly row: ChoiceRow; readonly path: string; readonly text: string }
> {
  known ??= new Map(
    dataFiles('choices.json').flatMap((path) => {
      const { text, json } = readJson<{ readonly choices: Readonly<Record<string, ChoiceRow>> }>(path);
      return Object.entries(json.choices).map(([id, row]) => [id, { row, path, text }] as const);
    }),
  );
  return known;
}

/**
 * The choice of this id, whose words are in a `choices.json` and whose evidence is read by code. Throws where no file has it. Example:
 * `choiceOf('models.list.order', { selector: responses('listModels'), taken: listOrder('created') })`.
 */
export function choiceOf<E extends Evidence>(id: string, reading: Reading<E>): Choice<E> {
  const found = choiceRows().get(id);
  if (found === undefined) throw new Error(`No choices.json has ${id}.`);
  const { given: _, shown: __, examples, ...words } = found.row;
  return choice({ ...words, ...reading, examples: { ...brokenBy(examples ?? {}), ...reading.examples }, id });
}

/** The choices that are data alone. `named`: the evidence that the families collect by code. */
export function choicesOfRows(named: NamedEvidence): readonly Choice<Evidence>[] {
  return [...choiceRows()].flatMap(([id, { row, path, text }]) => {
    const { given: from, shown } = row;
    if (from === undefined || shown === undefined) return [];
    return [
      at(path, text, id, () =>
        choiceOf(id, { selector: given(from, named) as Selector<Evidence>, taken: alternative(shown) }),
      ),
    ];
  });
}

/** The alternative that evidence shows; null if it shows none. */
export function alternative(shown: Shown): (evidence: Evidence) => string | null {
  const read = shape(shown);
  const outcome = valueReader('outcome');
  const answer = valueReader('answer');
  const { names = {}, otherwise } = shown;
  return (evidence) => {
    if (shown.unless_refused === true) {
      if (outcome(evidence) === 'rejected') return 'refused';
      if (answer(evidence) === undefined) return null;
    }
    const name = read(evidence);
    if (name === null) return shown.value === undefined ? null : (otherwise ?? null);
    return names[name] ?? (shown.names === undefined ? name : (otherwise ?? name));
  };
}

type ReadAlternative = (evidence: Evidence) => string | null;

function shape(shown: Shown): ReadAlternative {
  if (shown.value !== undefined) return textOf(shown.value);
  if (shown.state !== undefined) return stateOf(shown.state);
  if (shown.keys !== undefined) return mapped(shown.keys, keysOf);
  if (shown.form !== undefined)
    return mapped(shown.form, (value) => keysOf(value) ?? (value === undefined ? 'absent' : 'null'));
  if (shown.type !== undefined)
    return mapped(shown.type, (value) => ((value ?? null) === null ? null : typeof value));
  if (shown.outcome !== undefined) return outcomeOf(shown.outcome);
  if (shown.change !== undefined) return changeOf(shown.change);
  if (shown.after !== undefined) return followerOf(shown.after);
  if (shown.order !== undefined) return orderBy(shown.order);
  if (shown.cases !== undefined) return firstCase(shown.cases);
  throw new Error('nothing says how an alternative is shown');
}

function mapped(place: Place, name: (value: Json | undefined) => string | null): ReadAlternative {
  const read = valueReader(place);
  return (evidence) => name(read(evidence));
}

function textOf(place: Place): ReadAlternative {
  return mapped(place, (value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : null,
  );
}

function stateOf({ of, present, empty = present }: NonNullable<Shown['state']>): ReadAlternative {
  return mapped(of, (value) => {
    if (value === undefined) return 'absent';
    if (value === null) return 'null';
    const isEmpty = value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
    return isEmpty ? empty : present;
  });
}

function keysOf(value: Json | undefined): string | null {
  return isObject(value) ? Object.keys(value).toSorted().join(', ') : null;
}

function outcomeOf({
  accepted,
  otherwise = 'refused',
  rejected_only,
}: NonNullable<Shown['outcome']>): ReadAlternative {
  return mapped('outcome', (outcome) => {
    if (outcome === 'accepted') return accepted;
    return rejected_only !== true || outcome === 'rejected' ? otherwise : null;
  });
}

function changeOf(place: Place): ReadAlternative {
  const [earlier, later] = [valueReader(`before.${place}`), valueReader(`answer.${place}`)];
  return (evidence) => {
    const [from, to] = [earlier(evidence), later(evidence)];
    return typeof from !== 'string' || typeof to !== 'string' || from === to ? null : `${from} to ${to}`;
  };
}

function followerOf({ of, value }: NonNullable<Shown['after']>): ReadAlternative {
  const change = changeOf(of);
  return (evidence) => {
    const [from, to] = change(evidence)?.split(' to ') ?? [];
    return from === value && to !== undefined ? to : null;
  };
}

function orderBy(field: string): ReadAlternative {
  return mapped('answer', (answer) => {
    const times = arrayAt(answer, 'data').map((one) => numberAt(one, field) ?? 0);
    if (times.every((time) => time === times[0])) return null;
    const isSorted = (sign: 1 | -1): boolean =>
      times.every((time, i) => i === 0 || sign * ((times[i - 1] ?? 0) - time) <= 0);
    return isSorted(-1) ? 'newest first' : isSorted(1) ? 'oldest first' : 'neither';
  });
}

function firstCase(cases: Readonly<Record<string, Conditions>>): ReadAlternative {
  const compiled = Object.entries(cases).map(
    ([name, tests]) => [name, [tests].flat().flatMap(conditionsOf)] as const,
  );
  return (evidence) =>
    compiled.find(([, conditions]) => conditions.every((holds) => holds(evidence)))?.[0] ?? null;
}

/** Names the file and the line of the row in an error. */
function at<T>(path: string, text: string, id: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    const line = text.slice(0, text.indexOf(`"${id}"`)).split('\n').length;
    throw new Error(
      `suites/${relative(SUITES, path)}:${line}: ${id}: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    );
  }
}

/** A test holds the files against their schemas. */
function readJson<T>(path: string): { readonly text: string; readonly json: T } {
  const text = readFileSync(path, 'utf8');
  return { text, json: JSON.parse(text) };
}
