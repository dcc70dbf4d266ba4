import { type Scenario, type Stage, scenario } from '../../drive/scenario.ts';
import type { Fields } from '../threads/samples.ts';
import { look, rested, run } from './samples.ts';

const OF_RUNS = ['runs.*', 'thread.run:*', 'thread.run.*:*', 'done:*'];
export const OF_STEPS = [
  'run-steps.*',
  'thread.run.step:*',
  'listRunSteps:answer#*',
  'retrieveRunStep:answer#*',
];
export const OF_WORDS = ['thread.message.*:*', 'usage:*'];

/** The same request, streamed and not, twice each, and what each run leaves. */
export function pair(
  topic: string,
  shows: readonly string[],
  ask: (stage: Stage) => Promise<Fields>,
): Scenario {
  return story(
    topic,
    { operations: ['createThreadAndRun'], shows: [...OF_STEPS, ...shows] },
    async (stage) => {
      const body = await ask(stage);
      for (const stream of [true, false, true, false]) {
        const started = await run(stage, 'createThreadAndRun', { body: { ...body, stream } });
        if (!stream) await rested(stage, started);
        await look(stage, started);
      }
    },
  );
}

interface Plan {
  readonly operations: readonly string[];
  /** Beyond what every run shows. */
  readonly shows: readonly string[];
}

/** A scenario that tells what `shows` says, and what every run shows. */
export function story(
  topic: string,
  { operations, shows }: Plan,
  tell: (stage: Stage) => Promise<void>,
): Scenario {
  return scenario({
    name: `runs.${topic}`,
    family: 'runs',
    operations,
    shows: [...OF_RUNS, ...shows, ...operations.map((operation) => `${operation}:*#*`)],
    cost: ['tokens'],
    roles: ['assistant'],
    run: tell,
  });
}
