import { createRequire } from 'node:module';
import { withoutUndefined } from '../../schemas/maps.ts';
import type { Alternative, ObjectChange } from '../deviations/deviation.ts';
import { objectOf } from '../deviations/json-changes.ts';
import { type ChangeRow, compileRequestTest, compileValueEdit, hooksOf } from '../deviations/rows.ts';
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

/** Pairs of choices on one behaviour: their alternatives correspond by position, so selecting one selects the other. */
export const equalChoices: Readonly<Record<string, string>> = {
  'runs.stream.step-of-waiting-calls': 'run-steps.status.while-waiting',
};

function alternativeOf(rows: readonly AlternativeRow[], name: string): Alternative {
  const changes = rows.map((row) => changesOf(row, name));
  const intercepts = changes.flatMap((change) => change.intercepts ?? []);
  return Object.assign({}, ...rows.map(remarksOf), ...changes, intercepts.length > 0 && { intercepts });
}

function remarksOf({ reported, hides, unseen }: AlternativeRow): Alternative {
  return withoutUndefined({ reported, hides, unseen });
}

function changesOf({ on, shown, order, whole, code, ...row }: AlternativeRow, name: string): Alternative {
  if (code === true) {
    const alternative = ALTERNATIVES_IN_CODE[name];
    if (alternative === undefined)
      throw new Error(`${name} has "code", but no entry in reference/choices/in-code.ts`);
    return alternative;
  }
  if (shown !== undefined) {
    const [matchesRow, edit] = [compileRequestTest(row), compileValueEdit(row)];
    const change: ObjectChange = (object, request) => (matchesRow(request) ? objectOf(edit(object)) : object);
    return { shows: Object.fromEntries([shown].flat().map((kind) => [kind, change])) };
  }
  if (on === undefined) return {};
  if (order !== undefined) {
    const reorder = whole === true ? reorderUnpagedLists : reorderPagedLists;
    return reorder(on, order === 'reversed' ? (all) => all.toReversed() : shuffle);
  }
  return { intercepts: [{ on, does: hooksOf(row) }] };
}
