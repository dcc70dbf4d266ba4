export type ScheduledTask = () => Promise<void>;

/**
 * Runs groups of tasks in sequence; the tasks of a group run concurrently, at most `limit` at a time, started in order.
 * A task that fails stops nothing: its error is returned when all tasks have ended.
 */
export async function runGroups(
  groups: readonly (readonly ScheduledTask[])[],
  limit: number,
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const group of groups) {
    const waiting = group.values();
    const worker = async (): Promise<void> => {
      for (const task of waiting) await task().catch((error: unknown) => void errors.push(error));
    };
    await Promise.all(Array.from({ length: Math.min(limit, group.length) }, worker));
  }
  return errors;
}
