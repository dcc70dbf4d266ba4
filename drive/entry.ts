// The one file that vitest runs: it registers every selected scenario as a concurrent test.
// The tests never fail; what happened is in the trace, and verdicts are the judge's.
import { afterAll, describe, inject, test } from 'vitest';
import type { Errand } from './wire.ts';
import { Work } from './work.ts';

declare module 'vitest' {
  interface ProvidedContext {
    errand: Errand;
  }
}

const work = await Work.begin(inject('errand'));
for (const scenario of work.together) test.concurrent(scenario.name, () => work.perform(scenario));
for (const [n, lanes] of work.inTurn.entries()) {
  // A suite of its own, so that a group begins when the one before it is over.
  describe(`in turn ${n + 1}`, () => {
    for (const { name, scenarios } of lanes)
      test.concurrent(name, async () => {
        for (const scenario of scenarios) await work.perform(scenario);
      });
  });
}
// A run may have nothing to do; a file without tests would be an error to vitest.
if (work.together.length + work.inTurn.length === 0) test('nothing is selected', () => {});
afterAll(() => work.finish());
