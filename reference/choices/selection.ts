import type { Alternative } from '../deviations/alternatives.ts';
import { randomSequence } from '../state/ids.ts';
import { choiceTable, equalChoices } from './table.ts';

/** The alternatives that a service takes, by choice; choices that are not listed take the usual one. */
export type Selection = ReadonlyMap<string, string>;

/** The first alternative of every choice other than the usual one. */
export function contrarySelection(): Selection {
  return selectionOf(
    Object.entries(choiceTable).map(([id, { others }]) => [id, Object.keys(others)[0] ?? ''] as const),
  );
}

/** One alternative of every choice, the usual one included, chosen by a seed. */
export function randomSelection(seed: number): Selection {
  const random = randomSequence(seed);
  return selectionOf(
    Object.entries(choiceTable).map(([id, { usual, others }]) => {
      const all = [usual, ...Object.keys(others)];
      return [id, all[Math.floor(random() * all.length)] ?? usual] as const;
    }),
  );
}

/** @throws UnknownAlternative if a choice or an alternative does not exist. */
export function namedSelection(named: Iterable<readonly [string, string]>): Selection {
  const wanted = [...named];
  for (const [id, alternative] of wanted) {
    const entry = choiceTable[id];
    if (entry === undefined) throw new UnknownAlternative('choice', id, Object.keys(choiceTable));
    const all = [entry.usual, ...Object.keys(entry.others)];
    if (!all.includes(alternative)) throw new UnknownAlternative(`alternative of ${id}`, alternative, all);
  }
  return selectionOf(wanted);
}

export class UnknownAlternative extends Error {
  /** The unknown id of a choice, or the unknown alternative of a known one. */
  readonly given: string;
  /** The ids or alternatives that exist; the usual alternative comes first. */
  readonly known: readonly string[];
  constructor(what: string, given: string, known: readonly string[]) {
    super(`Unknown ${what}: '${given}'`);
    this.name = 'UnknownAlternative';
    this.given = given;
    this.known = known;
  }
}

export function alternativeTaken(selection: Selection, id: string): string {
  const entry = choiceTable[id];
  if (entry === undefined) throw new Error(`unknown choice: ${id}`);
  return selection.get(id) ?? entry.usual;
}

export function unusualAlternatives(selection: Selection): readonly Alternative[] {
  return Object.entries(choiceTable).flatMap(([id, { others }]) => {
    const taken = others[selection.get(id) ?? ''];
    return taken === undefined ? [] : [taken];
  });
}

/** Choices that report the same behaviour take alternatives of the same position. */
function selectionOf(wanted: Iterable<readonly [string, string]>): Selection {
  const selection = new Map(wanted);
  for (const [id, other] of Object.entries(equalChoices)) {
    const [named, follower] = selection.has(id) ? [id, other] : [other, id];
    const taken = selection.get(named);
    const place = taken === undefined ? -1 : namesOf(named).indexOf(taken);
    const equal = namesOf(follower)[place];
    if (equal !== undefined) selection.set(follower, equal);
  }
  return selection;
}

function namesOf(id: string): readonly string[] {
  const entry = choiceTable[id];
  return entry === undefined ? [] : [entry.usual, ...Object.keys(entry.others)];
}
