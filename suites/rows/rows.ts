// Requirements and choices as rows of data: `requirements.json` and `choices.json` next to the suites of a family. This module
// turns rows into the objects that code defines with `section(…)` and `choiceOf(…)`.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { where } from '../../judge/evidence/calls.ts';
import { choice, requirement } from '../../judge/requirements/define.ts';
import type {
  Basis,
  BehaviourRequirement,
  Choice,
  ChoiceLiteral,
  Condition,
  Evidence,
  Selector,
  Violation,
} from '../../judge/requirements/requirement.ts';
import { arrayAt, numberAt } from '../../judge/trace/json.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { Json } from '../../schemas/json.ts';
import { dataFiles, SUITES } from '../data/family-data.ts';
import { bearers, equality, keysOf, stateOf } from './choice-values.ts';
import { type BrokenBy, brokenBy, type EditRow } from './edits.ts';
import {
  addendConditions,
  type Conditions,
  conditionsOf,
  type Expect,
  expectation,
  type Given,
  given,
  groupsOf,
  type NamedEvidence,
} from './given.ts';
import { dataTest, evidenceReader, type Place, readerOf, type Tests, valueReader } from './places.ts';

/** A `requirements.json`; `requirements.schema.json` describes it. */
interface RequirementsFile {
  /** Part and section of the specification, for the rows that name none. */
  readonly spec?: string;
  readonly requirements: readonly RequirementRow[];
}

/** One requirement: `must` or `should` is its sentence. */
export interface RequirementRow {
  readonly id: string;
  readonly must?: string;
  readonly should?: string;
  readonly basis: Basis;
  readonly spec?: string;
  /** True if it depends on chance whether a run shows that a service violates the requirement. */
  readonly by_chance?: true;
  /** True if a module adds what a row cannot express, by `rowOf`; the parts of this row are then optional. */
  readonly code?: true;
  readonly given?: Given;
  readonly expect?: Expect;
  readonly broken_by?: BrokenBy;
}

/** The parts that code adds to a row. */
export interface CodeOf<E extends Evidence> {
  /** Replaces the evidence in `given`; the conditions of the row still apply. */
  readonly evidence?: Selector<E>;
  /** Further conditions, evaluated after those of the row. */
  readonly where?: readonly Condition<E>[];
  readonly check?: (evidence: E) => readonly Violation[];
  readonly broken_by?: BrokenBy;
}

interface RowSource<R> {
  readonly row: R;
  readonly path: string;
  readonly text: string;
}

let knownRequirements: ReadonlyMap<string, RowSource<RequirementRow>> | undefined;

/** The rows of all requirements by their ids; files are read once for each process. */
export function requirementRows(): ReadonlyMap<string, RowSource<RequirementRow>> {
  knownRequirements ??= readRows('requirements.json', ({ spec, requirements }: RequirementsFile) =>
    requirements.map((row) => ({ ...(spec !== undefined && { spec }), ...row })),
  );
  return knownRequirements;
}

/** The requirements that consist only of data. `named`: the evidence that the families collect by code. */
export function requirementsOfRows(named: NamedEvidence): readonly BehaviourRequirement<Evidence>[] {
  return [...requirementRows().values()]
    .filter(({ row }) => row.code !== true)
    .map((one) => locateErrors(one, () => requirementOf(one.row, {}, named)));
}

/**
 * The requirement whose row has this id, with the parts that need code. Throws if no file has it. Example:
 * `rowOf<ResponseEvidence>('models.list.each-once', { check: ({ answer }) => repeatedIds(answer) })`.
 */
export function rowOf<E extends Evidence>(id: string, code: CodeOf<E>): BehaviourRequirement<E> {
  const found = requirementRows().get(id);
  if (found?.row.code !== true) throw new Error(`No requirements.json has ${id} with "code": true.`);
  return locateErrors(found, () => requirementOf(found.row, code));
}

/** Compiles one row. Throws if it has an unknown word or kind of evidence. */
export function requirementOf<E extends Evidence>(
  row: RequirementRow,
  code: CodeOf<E> = {},
  named: NamedEvidence = {},
): BehaviourRequirement<E> {
  const { given: from = {}, expect, broken_by: edits = {} } = row;
  return requirement<E>({
    id: row.id,
    level: row.must === undefined ? 'SHOULD' : 'MUST',
    basis: row.basis,
    spec: row.spec ?? '',
    says: row.must ?? row.should ?? '',
    ...(row.by_chance && { byChance: row.by_chance }),
    selector: where(
      selectorOf(from, code.evidence, named),
      ...(code.where ?? []),
      ...(expect === undefined ? [] : addendConditions(expect, from.where)),
    ),
    check: code.check ?? expectation(expect ?? throwMissing('expect')),
    mutations: brokenBy({ ...edits, ...code.broken_by }),
  });
}

function throwMissing(part: string): never {
  throw new Error(`neither the row nor its code has ${part}`);
}

function selectorOf<E extends Evidence>(
  from: Given,
  evidence: Selector<E> | undefined,
  named: NamedEvidence,
): Selector<E> {
  if (evidence === undefined) return given(from, named) as unknown as Selector<E>; // as: the caller names the evidence of the row
  return given(
    { ...from, evidence: 'code' },
    { code: evidence as unknown as Selector<Evidence> },
  ) as unknown as Selector<E>;
}

/** A choice as data; code reads the alternative of a choice without `given` and `shown`. */
interface ChoiceRow extends Omit<Choice<Evidence>, 'selector' | 'taken' | 'examples'> {
  readonly given?: Given;
  readonly shown?: Shown;
  readonly examples?: Readonly<Record<string, EditRow | readonly EditRow[]>>;
}

/** A `choices.json`: rows by id. */
interface ChoicesFile {
  readonly choices: Readonly<Record<string, Omit<ChoiceRow, 'id'>>>;
}

/** How evidence shows an alternative; `rows.schema.json` describes the members. */
export interface Shown {
  readonly value?: Place;
  readonly texts?: Place;
  readonly count?: Place;
  /** Without `present`, a value shows no alternative. */
  readonly state?: { readonly of: Place; readonly present?: string; readonly empty?: string };
  readonly keys?: Place;
  readonly form?: Place;
  readonly type?: Place;
  readonly outcome?: {
    readonly accepted: string;
    readonly otherwise?: string;
    readonly rejected_only?: true;
  };
  readonly change?: Place;
  readonly after?: { readonly of: Place; readonly value: string };
  readonly order?: string;
  readonly beyond?: { readonly of: Place; readonly known: readonly string[]; readonly none: string };
  readonly equal?: {
    readonly of: Place;
    readonly by: readonly Place[];
    readonly same: string;
    readonly other: string;
  };
  readonly bearers?: { readonly group: Place; readonly that: Tests };
  readonly cases?: Readonly<Record<string, Conditions>>;
  readonly names?: Readonly<Record<string, string>>;
  readonly otherwise?: string;
  readonly unless_refused?: true;
}

/** The parts that code adds to the row of a choice. */
interface Reading<E extends Evidence> {
  /** Replaces the evidence in `given`; the conditions of the row still apply. */
  readonly selector?: Selector<E>;
  readonly taken: ChoiceLiteral<E>['taken'];
  readonly examples?: BrokenBy;
}

let knownChoices: ReadonlyMap<string, RowSource<ChoiceRow>> | undefined;

/** The rows of all choices by their ids; files are read once for each process. */
export function choiceRows(): ReadonlyMap<string, RowSource<ChoiceRow>> {
  knownChoices ??= readRows('choices.json', ({ choices }: ChoicesFile) =>
    Object.entries(choices).map(([id, row]) => ({ ...row, id })),
  );
  return knownChoices;
}

/**
 * The choice of this id, whose words are in a `choices.json` and whose evidence is read by code. Throws if no file has it. Example:
 * `choiceOf('models.list.order', { selector: responses('listModels'), taken: listOrder('created') })`.
 */
export function choiceOf<E extends Evidence>(
  id: string,
  { selector, taken, examples: added }: Reading<E>,
): Choice<E> {
  const found = choiceRows().get(id);
  if (found === undefined) throw new Error(`No choices.json has ${id}.`);
  const { given: from = {}, shown: _, examples = {}, ...words } = found.row;
  return locateErrors(found, () =>
    choice<E>({
      ...words,
      id,
      selector: selectorOf(from, selector, {}),
      taken,
      examples: brokenBy({ ...examples, ...added }),
    }),
  );
}

/** The choices that consist only of data. `named`: the evidence that the families collect by code. */
export function choicesOfRows(named: NamedEvidence): readonly Choice<Evidence>[] {
  return [...choiceRows()].flatMap(([id, found]) => {
    const { given: from, shown } = found.row;
    if (from === undefined || shown === undefined) return [];
    const { where: _, ...kind } = from;
    return [
      locateErrors(found, () =>
        choiceOf(id, { selector: given(kind, named), taken: alternativeReader(shown) }),
      ),
    ];
  });
}

/** Reads the alternative that evidence shows; null if it shows none. */
function alternativeReader(shown: Shown): (evidence: Evidence) => string | null {
  const read = shape(shown);
  const outcome = valueReader('outcome');
  const answer = valueReader('answer');
  const { names = {}, otherwise } = shown;
  return (evidence) => {
    if (shown.unless_refused === true) {
      if (isRefusal(outcome(evidence))) return 'refused';
      if (answer(evidence) === undefined) return null;
    }
    const name = read(evidence);
    if (name === null) return shown.value === undefined ? null : (otherwise ?? null);
    return names[name] ?? (shown.names === undefined ? name : (otherwise ?? name));
  };
}

export type ReadAlternative = (evidence: Evidence) => string | null;

/** Returns the function that reads an alternative from evidence. Throws if `shown` does not say how. */
export function shape(shown: Shown): ReadAlternative {
  if (shown.value !== undefined) return textOf(shown.value);
  if (shown.texts !== undefined) return distinctTexts(shown.texts);
  if (shown.count !== undefined)
    return valueNamed(shown.count, (list) => `${Array.isArray(list) ? list.length : 0}`);
  if (shown.state !== undefined) {
    const { of, present = null, empty = present } = shown.state;
    return valueNamed(of, (value) => stateOf(value, present, empty));
  }
  if (shown.keys !== undefined) return valueNamed(shown.keys, (value) => keysOf(value));
  if (shown.form !== undefined)
    return valueNamed(shown.form, (value) => keysOf(value) ?? (value === undefined ? 'absent' : 'null'));
  if (shown.type !== undefined)
    return valueNamed(shown.type, (value) => ((value ?? null) === null ? null : typeof value));
  if (shown.outcome !== undefined) return outcomeOf(shown.outcome);
  if (shown.change !== undefined) return changeOf(shown.change);
  if (shown.after !== undefined) return followerOf(shown.after);
  if (shown.order !== undefined) return orderBy(shown.order);
  if (shown.beyond !== undefined) return firstBeyond(shown.beyond);
  if (shown.equal !== undefined) return equalityOf(shown.equal);
  if (shown.bearers !== undefined) return bearersOf(shown.bearers);
  if (shown.cases !== undefined) return firstCase(shown.cases);
  throw new Error('nothing says how an alternative is shown');
}

function valueNamed(place: Place, name: (value: Json | undefined) => string | null): ReadAlternative {
  const read = valueReader(place);
  return (evidence) => name(read(evidence));
}

function textOf(place: Place): ReadAlternative {
  return valueNamed(place, (value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : null,
  );
}

function distinctTexts(place: Place): ReadAlternative {
  const read = evidenceReader(place);
  return (evidence) => {
    const texts = read(evidence).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
    return texts.length === 0 ? 'none' : [...new Set(texts)].toSorted().join(', ');
  };
}

/** The specification leaves the status of a refusal open, so 404 is a refusal as well. */
function isRefusal(outcome: unknown): boolean {
  return outcome === 'rejected' || outcome === 'absent';
}

function outcomeOf({
  accepted,
  otherwise = 'refused',
  rejected_only,
}: NonNullable<Shown['outcome']>): ReadAlternative {
  return valueNamed('outcome', (outcome) => {
    if (outcome === 'accepted') return accepted;
    return rejected_only !== true || isRefusal(outcome) ? otherwise : null;
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
  return valueNamed('answer', (answer) => {
    const times = arrayAt(answer, 'data').map((one) => numberAt(one, field) ?? 0);
    if (times.every((time) => time === times[0])) return null;
    const isSorted = (sign: 1 | -1): boolean =>
      times.every((time, i) => i === 0 || sign * ((times[i - 1] ?? 0) - time) <= 0);
    return isSorted(-1) ? 'newest first' : isSorted(1) ? 'oldest first' : 'neither';
  });
}

function firstBeyond({ of, known, none }: NonNullable<Shown['beyond']>): ReadAlternative {
  const read = evidenceReader(of);
  return (evidence) => {
    const other = read(evidence).find(({ value }) => typeof value === 'string' && !known.includes(value));
    return other === undefined ? none : `also ${other.value}`;
  };
}

/** Compares the values of all elements at some places. */
function equalityOf({ of, by, same, other }: NonNullable<Shown['equal']>): ReadAlternative {
  const read = evidenceReader(of);
  const readers = by.map(readerOf);
  return (evidence) => {
    const values = read(evidence).map(({ value }) =>
      readers.map((at) => at(value, '').map((found) => found.value ?? null)),
    );
    return equality(values, same, other);
  };
}

/** Tells which elements of the first group pass the tests, in the words of `bearers`. */
function bearersOf({ group, that }: NonNullable<Shown['bearers']>): ReadAlternative {
  const groups = groupsOf({ group });
  const passes = dataTest(that);
  return (evidence) => bearers((groups(evidence)[0] ?? []).map(({ value }) => passes(value ?? null)));
}

function firstCase(cases: Readonly<Record<string, Conditions>>): ReadAlternative {
  const compiled = Object.entries(cases).map(
    ([name, tests]) => [name, [tests].flat().flatMap(conditionsOf)] as const,
  );
  return (evidence) =>
    compiled.find(([, conditions]) => conditions.every((holds) => holds(evidence)))?.[0] ?? null;
}

/** Compiles a row; an error names its file and line. */
function locateErrors<T>({ row, path, text }: RowSource<object>, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    const id = 'id' in row ? String(row.id) : '';
    const line = text.slice(0, text.indexOf(`"${id}"`)).split('\n').length;
    throw new Error(`suites/${relative(SUITES, path)}:${line}: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads the rows of all files with this name, by id. A test validates the files against their schemas. */
function readRows<F, R extends { readonly id: string }>(
  name: string,
  rowsIn: (file: F) => readonly R[],
): ReadonlyMap<string, RowSource<R>> {
  const sources = dataFiles(name).flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return rowsIn(JSON.parse(text)).map((row) => [row.id, { row, path, text }] as const);
  });
  return new Map(sources);
}
