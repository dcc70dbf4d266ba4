// Templates of scenarios for runs.
import { type Scenario, type ScenarioContext, scenario } from '../../../drive/scenario/scenario.ts';
import type { ThreadFields } from '../../threads/samples.ts';
import { retrieveRunObjects, startRunCall, waitUntilResting } from '../samples.ts';

/** Operations that look at what a run leaves; `retrieveRunObjects` calls them. */
const LOOK_UPS = ['listRunSteps', 'retrieveRunStep', 'listMessages'];

/** The same request, streamed and not, twice each, and what each run leaves. */
export function runStreamedAndWhole(
  topic: string,
  ask: (context: ScenarioContext) => Promise<ThreadFields>,
): Scenario {
  return runTemplate(topic, ['createThreadAndRun'], async (context) => {
    const body = await ask(context);
    for (const stream of [true, false, true, false]) {
      const started = await startRunCall(context, 'createThreadAndRun', { body: { ...body, stream } });
      if (!stream) await waitUntilResting(context, started);
      await retrieveRunObjects(context, started);
    }
  });
}

/**
 * A scenario of runs that these operations create. It shows run steps and messages, too, so it belongs to the requirements on
 * these, where they look up what is left.
 */
export function runTemplate(
  topic: string,
  operations: readonly string[],
  perform: (context: ScenarioContext) => Promise<void>,
): Scenario {
  return scenario({
    name: `runs.${topic}`,
    operations: [...operations, ...LOOK_UPS],
    cost: ['tokens'],
    roles: ['assistant'],
    run: perform,
  });
}
