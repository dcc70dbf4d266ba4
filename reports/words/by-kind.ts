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
