import type { Basis, Level } from '../../judge/requirements/requirement.ts';
import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';

/** Lists the first `most` names and counts the others: `a, b and 3 more`. */
export function shortList(names: readonly string[], most: number): string {
  return `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
}

/** The first `most` items, and the result of `more` for the number of the others. */
export function firstOf<T>(items: readonly T[], most: number, more: (rest: number) => T): readonly T[] {
  return items.length <= most ? items : [...items.slice(0, most), more(items.length - most)];
}

/** The items that are not false: `present(count > 0 && plural(count, 'miss'), …)`. */
export function present<T>(...items: readonly (T | false)[]): T[] {
  return items.filter((item): item is Exclude<typeof item, false> => item !== false) as T[]; // as: false is gone
}

/** Capitalises a line that was written for the terminal, where lines begin in lower case. */
export function capitalise(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Capitalises a line and ends it with a full stop, unless it ends with words of the target that have one. */
export function asSentence(line: string): string {
  return `${capitalise(line)}${/[.!?…]$/.test(line) ? '' : '.'}`;
}

/** The level: `MUST`, or `MUST (implied)` if the basis is not the wording; `PINNED` if the dialect pins it. */
export function levelWords({ level, basis }: { readonly level: Level; readonly basis: Basis }): string {
  if (basis === 'pinned') return 'PINNED';
  return basis === 'stated' ? level : `${level} (${basis})`;
}

/** A fact whose member `Tag` states its kind, narrowed to one kind. */
type FactOfKind<Fact, Tag extends string, Kind> =
  Fact extends Readonly<Record<Tag, infer Kinds>> ? (Kind extends Kinds ? Fact : never) : never;

export type WordsByKind<Tag extends string, Fact extends Readonly<Record<Tag, string>>, Words = string> = {
  readonly [Kind in Fact[Tag]]: (fact: FactOfKind<Fact, Tag, Kind>) => Words;
};

export function wordsByKind<Tag extends string, Fact extends Readonly<Record<Tag, string>>, Words>(
  fact: Fact,
  tag: Tag,
  table: WordsByKind<Tag, Fact, Words>,
): Words {
  const write = table[fact[tag]] as (one: Fact) => Words; // as: it is the function for the kind of this fact
  return write(fact);
}

/** The taken alternatives, each with the first exchange that shows it: `length (e3)`. */
export function takenWords({ taken, exchanges = [] }: ChoiceVerdict): readonly string[] {
  return taken.map((alternative, n) => {
    // Older reports contain no exchanges, and an alternative that a bug in assay causes has none.
    const exchange = exchanges[n] ?? null;
    return exchange === null ? alternative : `${alternative} (${exchange})`;
  });
}
