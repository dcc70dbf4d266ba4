// Compiles the requirements and choices that are rows of data, in the `requirements.json` and `choices.json` of a
// family, with the parts that need code.
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
import { messageOf } from '../../schemas/error-message.ts';
import { findDataFiles, SUITES } from '../data/family-data.ts';
import { type BrokenBy, compileMutations, type EditRow } from './edits.ts';
import { compileExpectation, type Expect } from './expectations.ts';
import { addendConditions, type Given, type NamedEvidence, selectEvidence } from './given.ts';
import { computeOnce } from './on-first-use.ts';
import { alternativeReader, type Shown } from './shown.ts';

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
  readonly by_chance?: true;
  readonly code?: true;
  readonly given?: Given;
  readonly expect?: Expect;
  readonly broken_by?: BrokenBy;
}

export interface CodeOf<E extends Evidence> {
  /** Replaces the evidence in `given`; the conditions of the row still apply. */
  readonly evidence?: Selector<E>;
  readonly where?: readonly Condition<E>[];
  readonly check?: (evidence: E) => readonly Violation[];
  readonly broken_by?: BrokenBy;
}

interface RowSource<R> {
  readonly row: R;
  readonly path: string;
  readonly text: string;
}

export const requirementRows = computeOnce(() =>
  readRows('requirements.json', ({ spec, requirements }: RequirementsFile) =>
    requirements.map((row): RequirementRow => ({ ...(spec !== undefined && { spec }), ...row })),
  ),
);

/** Compiles the requirements that consist only of data. `named`: the evidence that the families collect by code. */
export function compileRequirements(named: NamedEvidence): readonly BehaviourRequirement<Evidence>[] {
  return [...requirementRows().values()]
    .filter(({ row }) => row.code !== true)
    .map((one) => locateErrors(one, () => compileRequirement(one.row, {}, named)));
}

/**
 * Compiles the row with this id and `"code": true`, with the parts that need code. Throws if there is none. Example:
 * `rowOf<ResponseEvidence>('models.list.each-once', { check: ({ answer }) => repeatedIds(answer) })`.
 */
export function rowOf<E extends Evidence>(id: string, code: CodeOf<E>): BehaviourRequirement<E> {
  const source = requirementRows().get(id);
  if (source?.row.code !== true)
    throw new Error(`No requirements.json has ${id} with "code": true. Add the row, or correct the id.`);
  return locateErrors(source, () => compileRequirement(source.row, code));
}

/** Compiles one row. Throws if `given` or `expect` has an unknown word or kind of evidence, or if there is no check. */
export function compileRequirement<E extends Evidence>(
  row: RequirementRow,
  code: CodeOf<E> = {},
  named: NamedEvidence = {},
): BehaviourRequirement<E> {
  const { given = {}, expect, broken_by: edits = {} } = row;
  const check = code.check ?? (expect === undefined ? null : compileExpectation(expect));
  if (check === null) throw new Error('the row has no "expect", and its code no "check": add one of them');
  return requirement<E>({
    id: row.id,
    level: row.must === undefined ? 'SHOULD' : 'MUST',
    basis: row.basis,
    spec: row.spec ?? '',
    says: row.must ?? row.should ?? '',
    ...(row.by_chance && { byChance: row.by_chance }),
    selector: where(
      selectorOf(given, code.evidence, named),
      ...(code.where ?? []),
      ...(expect === undefined ? [] : addendConditions(expect, given.where)),
    ),
    check,
    mutations: compileMutations({ ...edits, ...code.broken_by }),
  });
}

function selectorOf<E extends Evidence>(
  given: Given,
  evidence: Selector<E> | undefined,
  named: NamedEvidence,
): Selector<E> {
  const selected =
    evidence === undefined
      ? selectEvidence(given, named)
      : selectEvidence(
          { ...given, evidence: 'code' },
          { code: evidence as unknown as Selector<Evidence> }, // as: conditions of rows read any evidence
        );
  return selected as unknown as Selector<E>; // as: `E` is its evidence
}

/** A choice as data. If `given` or `shown` is missing, code reads the alternative. */
interface ChoiceRow extends Omit<Choice<Evidence>, 'selector' | 'taken' | 'examples'> {
  readonly given?: Given;
  readonly shown?: Shown;
  readonly examples?: Readonly<Record<string, EditRow | readonly EditRow[]>>;
}

interface ChoicesFile {
  readonly choices: Readonly<Record<string, Omit<ChoiceRow, 'id'>>>;
}

interface ChoiceCode<E extends Evidence> {
  /** Replaces the evidence in `given`; the conditions of the row still apply. */
  readonly selector?: Selector<E>;
  readonly taken: ChoiceLiteral<E>['taken'];
  readonly examples?: BrokenBy;
}

export const choiceRows = computeOnce(() =>
  readRows('choices.json', ({ choices }: ChoicesFile) =>
    Object.entries(choices).map(([id, row]): ChoiceRow => ({ ...row, id })),
  ),
);

/**
 * Compiles the choice with this id, whose alternative is read by code. Throws if no `choices.json` has the id. Example:
 * `choiceOf('models.list.order', { selector: responses('listModels'), taken: listOrder('created') })`.
 */
export function choiceOf<E extends Evidence>(
  id: string,
  { selector, taken, examples: codeExamples }: ChoiceCode<E>,
): Choice<E> {
  const source = choiceRows().get(id);
  if (source === undefined) throw new Error(`No choices.json has ${id}. Add the row, or correct the id.`);
  const { given = {}, shown: _, examples = {}, ...words } = source.row;
  return locateErrors(source, () =>
    choice<E>({
      ...words,
      id,
      selector: selectorOf(given, selector, {}),
      taken,
      examples: compileMutations({ ...examples, ...codeExamples }),
    }),
  );
}

export function compileChoices(named: NamedEvidence): readonly Choice<Evidence>[] {
  return [...choiceRows()].flatMap(([id, source]) => {
    const { given, shown } = source.row;
    if (given === undefined || shown === undefined) return [];
    const { where: _, ...kind } = given;
    const code = locateErrors(source, () => ({
      selector: selectEvidence(kind, named),
      taken: alternativeReader(shown),
    }));
    return [choiceOf(id, code)];
  });
}

function locateErrors<T>({ row, path, text }: RowSource<{ readonly id: string }>, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    const line = text.slice(0, text.indexOf(`"${row.id}"`)).split('\n').length;
    throw new Error(`suites/${relative(SUITES, path)}:${line}: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads the rows of all files with this name, by id. A test validates the files. */
function readRows<F, R extends { readonly id: string }>(
  name: string,
  rowsIn: (file: F) => readonly R[],
): ReadonlyMap<string, RowSource<R>> {
  const sources = findDataFiles(name).flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return rowsIn(JSON.parse(text)).map((row) => [row.id, { row, path, text }] as const);
  });
  return new Map(sources);
}
