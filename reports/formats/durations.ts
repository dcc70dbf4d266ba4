import type { Report, ReportedRequirement } from '../report.ts';

/** Unix time in milliseconds; 0 if unknown. */
export function startOf({ date }: Report): number {
  return date == null ? 0 : Date.parse(date);
}

/**
 * Seconds by requirement id. Verdicts have no duration of their own: the time of an operation's exchanges is
 * divided equally among the requirements with evidence in it, so that cases add up to the time of the
 * exchanges.
 */
export function secondsOf(
  { operations }: Report,
  judged: readonly ReportedRequirement[],
): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  const seeing = judged.filter(({ observations }) => observations > 0);
  for (const row of operations) {
    const rows = operations.filter(({ id }) => id === row.id);
    const sharing = seeing.filter(({ family, operations: ids }) => {
      const isElsewhere = rows.some((other) => other !== row && other.family === family);
      return ids.includes(row.id) && (row.family === family || !isElsewhere);
    });
    for (const { id } of sharing)
      seconds.set(id, (seconds.get(id) ?? 0) + (row.milliseconds ?? 0) / 1000 / sharing.length);
  }
  return seconds;
}
