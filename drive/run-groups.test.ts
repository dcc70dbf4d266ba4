import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runGroups, type ScheduledTask } from './run-groups.ts';

const plans = fc.array(fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean() })), { maxLength: 4 });
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never;
const limits = fc.integer({ min: 1, max: 5 });

/** Names tasks `group.index`, both from 0. `running` has the names of the running tasks, one list for each start. */
async function runPlan(plan: Plan, limit: number) {
  const running = new Set<string>();
  const starts: { readonly name: string; readonly running: readonly string[] }[] = [];
  const names = plan.flatMap((group, g) => group.map((_, n) => `${g}.${n}`));
  const groups = plan.map((group, g) =>
    group.map(
      ({ turns, fails }, n): ScheduledTask =>
        async () => {
          const name = `${g}.${n}`;
          running.add(name);
          starts.push({ name, running: [...running] });
          for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
          running.delete(name);
          if (fails) throw new Error(name);
        },
    ),
  );
  const errors = await runGroups(groups, limit);
  return { names, starts, errors };
}

test('runGroups starts every task once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(plans, limits, async (plan, limit) => {
      const { names, starts } = await runPlan(plan, limit);
      expect(starts.map(({ name }) => name)).toEqual(names);
    }),
  );
});

test('runGroups never runs more tasks at a time than the limit', async () => {
  await fc.assert(
    fc.asyncProperty(plans, limits, async (plan, limit) => {
      const { starts } = await runPlan(plan, limit);
      expect(Math.max(0, ...starts.map(({ running }) => running.length))).toBeLessThanOrEqual(limit);
    }),
  );
});

test('runGroups starts a group only when all tasks of the previous one have ended', async () => {
  await fc.assert(
    fc.asyncProperty(plans, limits, async (plan, limit) => {
      const { starts } = await runPlan(plan, limit);
      for (const { running } of starts) expect(new Set(running.map((name) => name[0])).size).toBe(1);
    }),
  );
});

test('runGroups returns the errors of all tasks that failed', async () => {
  await fc.assert(
    fc.asyncProperty(plans, limits, async (plan, limit) => {
      const { names, errors } = await runPlan(plan, limit);
      const failing = names.filter((_, i) => plan.flat()[i]?.fails);
      const messages = errors.map((error) => (error instanceof Error ? error.message : ''));
      expect(messages.toSorted()).toEqual(failing.toSorted());
    }),
  );
});

test('runGroups uses the whole capacity', async () => {
  let running = 0;
  let most = 0;
  const task: ScheduledTask = async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  await runGroups([Array.from({ length: 9 }, () => task)], 4);
  expect(most).toBe(4);
});
