import { type Scenario, type ScenarioContext, scenario } from '../../../drive/scenario/scenario.ts';
import type { ThreadFields } from '../../threads/samples.ts';
import { retrieveRunObjects, startRunCall, waitUntilResting } from '../samples.ts';

const OF_RUNS = ['runs.*', 'thread.run:*', 'thread.run.*:*', 'done:*'];
export const STEP_REQUIREMENTS = [
  'run-steps.*',
  'thread.run.step:*',
  'listRunSteps:answer#*',
  'retrieveRunStep:answer#*',
];
export const TEXT_REQUIREMENTS = ['thread.message.*:*', 'usage:*'];

/** The same request, streamed and not, twice each, and what each run leaves. */
export function runStreamedAndWhole(
  topic: string,
  shows: readonly string[],
  ask: (context: ScenarioContext) => Promise<ThreadFields>,
): Scenario {
  return runTemplate(
    topic,
    { operations: ['createThreadAndRun'], shows: [...STEP_REQUIREMENTS, ...shows] },
    async (context) => {
      const body = await ask(context);
      for (const stream of [true, false, true, false]) {
        const started = await startRunCall(context, 'createThreadAndRun', { body: { ...body, stream } });
        if (!stream) await waitUntilResting(context, started);
        await retrieveRunObjects(context, started);
      }
    },
  );
}

interface Plan {
  readonly operations: readonly string[];
  /** Beyond what every run shows. */
  readonly shows: readonly string[];
}

/** A scenario that provides evidence for the requirements in `shows`, and for those that every run serves. */
export function runTemplate(
  topic: string,
  { operations, shows }: Plan,
  perform: (context: ScenarioContext) => Promise<void>,
): Scenario {
  return scenario({
    name: `runs.${topic}`,
    family: 'runs',
    operations,
    shows: [...OF_RUNS, ...shows, ...operations.map((operation) => `${operation}:*#*`)],
    cost: ['tokens'],
    roles: ['assistant'],
    run: perform,
  });
}
