/** Groups items by key, in the order in which the keys first occur. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

interface Keyed<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

export function getOrMake<K, V>(map: Keyed<K, V>, key: K, make: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const value = make();
  map.set(key, value);
  return value;
}

export function addCount(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

export function withoutUndefined<V>(object: Readonly<Record<string, V | undefined>>): Record<string, V> {
  const defined = Object.entries(object).filter((entry): entry is [string, V] => entry[1] !== undefined);
  return Object.fromEntries(defined);
}
