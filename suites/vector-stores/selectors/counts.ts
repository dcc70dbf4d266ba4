import { type AlternativeName, totalState } from '../../vocabulary/choice-values.ts';
import { numberAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { violation } from '../../vocabulary/statements.ts';
import type { Json, Violation } from '../../vocabulary/types.ts';
import type { StoreTally } from './store-tallies.ts';

/** The states that files are counted by. */
const PARTS = ['in_progress', 'completed', 'failed', 'cancelled'] as const;

/** Where counts are not those of the files that are listed. */
export function miscounted({ store, files }: StoreTally): Violation[] {
  const counted = [
    ['total', files.length] as const,
    ...PARTS.map((part) => [part, files.filter((file) => textAt(file, 'status') === part).length] as const),
  ];
  return counted.flatMap(([name, wanted]) => {
    const actual = valueAtPath(store, 'file_counts', name);
    if (actual === wanted) return [];
    return [violation(`/file_counts/${name}`, `${wanted}, as its files are listed`, actual)];
  });
}

/** Whether the total is the sum of the parts; null where a count is missing. */
export function sumOfCounts(store: Json): AlternativeName {
  const counts = valueAtPath(store, 'file_counts');
  return totalState(
    numberAt(counts, 'total'),
    PARTS.map((part) => numberAt(counts, part)),
  );
}
