import { createRequire } from 'node:module';
import { objectOf } from '../deviations/changes.ts';
import type { Alternative, ObjectChange } from '../deviations/deviation.ts';
import { type ChangeRow, hooksOf, requestTest, valueEdit } from '../deviations/rows.ts';
import { randomSequence } from '../state/ids.ts';
import { ALTERNATIVES_IN_CODE } from './in-code.ts';
import { reorderPagedLists, reorderUnpagedLists, shuffle } from './pages.ts';

/** A point that the specification leaves open: the usual behaviour of the service and the alternatives. */
interface ChoiceEntry<A> {
  readonly usual: string;
  /** Alternatives as the ledger names them. `--choices contrary` takes the first. */
  readonly others: Readonly<Record<string, A>>;
}

/** The changes of an alternative. Without `on`, `shown` and `code`, the handler implements it with `service.takes`. */
interface AlternativeRow extends ChangeRow, Pick<Alternative, 'reported' | 'hides' | 'unseen'> {
  readonly on?: readonly string[];
  /** Kinds of objects, as their member `object` names them, that are shown with these edits. */
  readonly shown?: string | readonly string[];
  readonly order?: 'reversed' | 'shuffled';
  /** Set if the list is never paged. */
  readonly whole?: true;
  readonly code?: true;
}

/** An alternative with several changes is a list; the first change is closest to the handler. */
const { choices } = createRequire(import.meta.url)('#reference/choices/choices.json') as {
  readonly choices: Readonly<Record<string, ChoiceEntry<AlternativeRow | readonly AlternativeRow[]>>>;
}; // as: `npm run prove:choices` proves each row

/**
 * Every choice of the ledger for which the service has another alternative. Each alternative changes the results of
 * those before it, so choices about the order of lists come before those about pages.
 */
export const choiceTable: Readonly<Record<string, ChoiceEntry<Alternative>>> = Object.fromEntries(
  Object.entries(choices).map(([id, { usual, others }]) => [
    id,
    {
      usual,
      others: Object.fromEntries(
        Object.entries(others).map(([name, rows]) => [name, alternativeOf([rows].flat(), `${id}=${name}`)]),
      ),
    },
  ]),
);

/** Pairs of choices on one behaviour, with alternatives in the same order: selecting one selects that of the other. */
export const equalChoices: Readonly<Record<string, string>> = {
  'runs.stream.step-of-waiting-calls': 'run-steps.status.while-waiting',
};

function alternativeOf(rows: readonly AlternativeRow[], name: string): Alternative {
  const changes = rows.map((row) => changesOf(row, name));
  const intercepts = changes.flatMap((change) => change.intercepts ?? []);
  return Object.assign({}, ...rows.map(remarksOf), ...changes, intercepts.length > 0 && { intercepts });
}

function remarksOf({ reported, hides, unseen }: AlternativeRow): Alternative {
  return {
    ...(reported !== undefined && { reported }),
    ...(hides !== undefined && { hides }),
    ...(unseen !== undefined && { unseen }),
  };
}

function changesOf({ on, shown, order, whole, code, ...row }: AlternativeRow, name: string): Alternative {
  if (code === true) {
    const alternative = ALTERNATIVES_IN_CODE[name];
    if (alternative === undefined)
      throw new Error(`${name} has "code", but no entry in reference/choices/in-code.ts`);
    return alternative;
  }
  if (shown !== undefined) {
    const [concerns, edit] = [requestTest(row), valueEdit(row)];
    const change: ObjectChange = (object, request) => (concerns(request) ? objectOf(edit(object)) : object);
    return { shows: Object.fromEntries([shown].flat().map((kind) => [kind, change])) };
  }
  if (on === undefined) return {};
  if (order !== undefined) {
    const reorder = whole === true ? reorderUnpagedLists : reorderPagedLists;
    return reorder(on, order === 'reversed' ? (all) => all.toReversed() : shuffle);
  }
  return { intercepts: [{ on, does: hooksOf(row) }] };
}

/** The alternatives that a service takes, by choice; choices that are not listed take the usual one. */
export type Selection = ReadonlyMap<string, string>;

/** For every choice, the first alternative other than the usual one. */
export function contrarySelection(): Selection {
  return completeSelection(
    Object.entries(choiceTable).map(([id, { others }]) => [id, Object.keys(others)[0] ?? ''] as const),
  );
}

export function randomSelection(seed: number): Selection {
  const random = randomSequence(seed);
  return completeSelection(
    Object.entries(choiceTable).map(([id, { usual, others }]) => {
      const names = [usual, ...Object.keys(others)];
      return [id, names[Math.floor(random() * names.length)] ?? usual] as const;
    }),
  );
}

export function namedSelection(names: Iterable<readonly [string, string]>): Selection {
  const pairs = [...names];
  for (const [id, alternative] of pairs) {
    const known = namesOf(id);
    if (known.length === 0) throw new UnknownChoiceOrAlternative('choice', id, Object.keys(choiceTable));
    if (!known.includes(alternative))
      throw new UnknownChoiceOrAlternative(`alternative of ${id}`, alternative, known);
  }
  return completeSelection(pairs);
}

export class UnknownChoiceOrAlternative extends Error {
  readonly given: string;
  /** The ids or alternatives that exist; the usual alternative comes first. */
  readonly known: readonly string[];
  constructor(what: string, given: string, known: readonly string[]) {
    super(`Unknown ${what}: '${given}'`);
    this.name = 'UnknownChoiceOrAlternative';
    this.given = given;
    this.known = known;
  }
}

export function selectedAlternative(selection: Selection, id: string): string {
  const entry = choiceTable[id];
  if (entry === undefined) throw new Error(`reference/choices/choices.json has no choice ${id}`);
  return selection.get(id) ?? entry.usual;
}

export function unusualAlternatives(selection: Selection): readonly Alternative[] {
  return Object.entries(choiceTable).flatMap(([id, { others }]) => {
    const alternative = others[selection.get(id) ?? ''];
    return alternative === undefined ? [] : [alternative];
  });
}

function completeSelection(pairs: Iterable<readonly [string, string]>): Selection {
  const selection = new Map(pairs);
  for (const [id, other] of Object.entries(equalChoices)) {
    const [selected, follower] = selection.has(id) ? [id, other] : [other, id];
    const position = namesOf(selected).indexOf(selection.get(selected) ?? '');
    const alternative = namesOf(follower)[position];
    if (alternative !== undefined) selection.set(follower, alternative);
  }
  return selection;
}

function namesOf(id: string): readonly string[] {
  const entry = choiceTable[id];
  return entry === undefined ? [] : [entry.usual, ...Object.keys(entry.others)];
}
