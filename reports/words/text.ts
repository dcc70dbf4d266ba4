import type { Basis, Level } from '../../judge/requirements/requirement.ts';
import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';

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
