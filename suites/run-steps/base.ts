import { Blocked, type Stage } from '../../drive/scenario.ts';
import { operation } from '../../schemas/index.ts';
import { base } from '../generate/base.ts';
import { run, runner, SAY, user } from '../runs/samples.ts';

export const listRunSteps = base({
  operation: 'listRunSteps',
  cost: ['tokens'],
  roles: ['assistant'],
  ready: async (stage) => {
    const { path, step } = await done(stage);
    return { path, samples: { 'query.after': () => step, 'query.before': () => step } };
  },
});

export const retrieveRunStep = base({
  operation: 'retrieveRunStep',
  cost: ['tokens'],
  roles: ['assistant'],
  ready: async (stage) => {
    const { path, step } = await done(stage);
    return { path: { ...path, step_id: step } };
  },
});

/** A run that has ended, and a step of it. */
async function done(stage: Stage) {
  const body = { assistant_id: await runner(stage), thread: { messages: [user(SAY)] }, stream: true };
  const { by, path, steps } = await run(stage, 'createThreadAndRun', { body });
  const [step] = steps;
  if (step === undefined) {
    const { method, path: asked } = operation('createThreadAndRun');
    throw new Blocked(by, { kind: 'no-object', method, path: asked, object: 'thread.run.step' });
  }
  return { path, step };
}
