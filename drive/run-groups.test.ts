import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runGroups, type ScheduledTask } from './run-groups.ts';

const plans = fc.array(fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean() })), { maxLength: 4 });

test('runGroups runs every task once in order, within the limit, and each group after the previous one', async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 1, max: 5 }), async (plan, limit) => {
      const started: string[] = [];
      const ended: string[] = [];
      const groups = plan.map((group, g) =>
        group.map(
          ({ turns, fails }, n): ScheduledTask =>
            async () => {
              const earlier = plan.slice(0, g).reduce((sum, { length }) => sum + length, 0);
              const endedEarlier = ended.filter((name) => Number(name[0]) < g);
              expect(endedEarlier).toHaveLength(earlier);
              expect(started.length - ended.length).toBeLessThan(limit);
              started.push(`${g}.${n}`);
              for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
              ended.push(`${g}.${n}`);
              if (fails) throw new Error(`${g}.${n}`);
            },
        ),
      );
      const errors = await runGroups(groups, limit);
      const names = plan.flatMap((group, g) => group.map((task, n) => ({ name: `${g}.${n}`, ...task })));
      expect(started).toEqual(names.map(({ name }) => name));
      const messages = errors.map((error) => (error instanceof Error ? error.message : '')).toSorted();
      expect(messages).toEqual(names.filter(({ fails }) => fails).map(({ name }) => name));
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
