import type { Json } from '../../exchange/body.ts';
import { get, number, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import type { Tally } from './tallies.ts';

/** The states that files are counted by. */
const PARTS = ['in_progress', 'completed', 'failed', 'cancelled'] as const;

/** Where counts are not those of the files that are listed. */
export function miscounted({ told, files }: Tally): Complaint[] {
  const counted = [
    ['total', files.length] as const,
    ...PARTS.map((part) => [part, files.filter((file) => text(file, 'status') === part).length] as const),
  ];
  return counted.flatMap(([name, wanted]) => {
    const actual = get(told, 'file_counts', name);
    if (actual === wanted) return [];
    return [{ at: `/file_counts/${name}`, expected: `${wanted}, as its files are listed`, actual }];
  });
}

/** Whether the total is the sum of the parts; null where something is not told. */
export function sumOfCounts(told: Json): 'the sum' | 'another number' | null {
  const parts = PARTS.map((part) => number(told, 'file_counts', part));
  const total = number(told, 'file_counts', 'total');
  if (total === undefined || parts.includes(undefined)) return null;
  return parts.reduce<number>((sum, part) => sum + (part ?? 0), 0) === total ? 'the sum' : 'another number';
}
