/** A unit of work that the scheduler starts when there is room for it. */
export type ScheduledTask = () => Promise<void>;

/**
 * Runs groups of tasks one group after the other; the tasks of a group run beside each other, at most `limit` at a time,
 * started in their order. A task that fails stops nothing: its error is returned when all tasks are over.
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
