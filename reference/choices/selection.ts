import type { Alternative } from '../deviations/deviation.ts';
import { randomSequence } from '../state/ids.ts';
import { choiceTable, equalChoices } from './table.ts';

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
  const entry = Object.hasOwn(choiceTable, id) ? choiceTable[id] : undefined;
  return entry === undefined ? [] : [entry.usual, ...Object.keys(entry.others)];
}
