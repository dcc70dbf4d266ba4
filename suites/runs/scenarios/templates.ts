// Templates of scenarios for runs. Each declares the requirements that its requests serve.
import { type Scenario, type ScenarioContext, scenario } from '../../../drive/scenario/scenario.ts';
import type { ThreadFields } from '../../threads/samples.ts';
import { retrieveRunObjects, startRunCall, waitUntilResting } from '../samples.ts';

/** Requirements for which every run provides evidence. */
const OF_RUNS = ['runs.*', 'thread.run:*', 'thread.run.*:*', 'done:*'];
/** Requirements for which look-ups of run steps provide evidence. */
export const STEP_REQUIREMENTS = [
  'run-steps.*',
  'thread.run.step:*',
  'listRunSteps:answer#*',
  'retrieveRunStep:answer#*',
];
/** Requirements for which a run that writes a message provides evidence. */
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

/** The requests of a scenario and the requirements that it serves. */
interface Plan {
  /** Operations that the scenario calls. */
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
