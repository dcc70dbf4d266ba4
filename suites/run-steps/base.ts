import { ScenarioBlocked, type ScenarioContext } from '../../drive/scenario/scenario.ts';
import { operation } from '../../schemas/index.ts';
import { baseRequest } from '../generate/requests.ts';
import { createRunAssistant, runUserMessage, SAY, startRunCall } from '../runs/samples.ts';

export const listRunSteps = baseRequest({
  operation: 'listRunSteps',
  cost: ['tokens'],
  roles: ['assistant'],
  ready: async (context) => {
    const { path, step } = await completeRun(context);
    return { path, samples: { 'query.after': () => step, 'query.before': () => step } };
  },
});

export const retrieveRunStep = baseRequest({
  operation: 'retrieveRunStep',
  cost: ['tokens'],
  roles: ['assistant'],
  ready: async (context) => {
    const { path, step } = await completeRun(context);
    return { path: { ...path, step_id: step } };
  },
});

async function completeRun(context: ScenarioContext) {
  const body = {
    assistant_id: await createRunAssistant(context),
    thread: { messages: [runUserMessage(SAY)] },
    stream: true,
  };
  const { by, path, steps } = await startRunCall(context, 'createThreadAndRun', { body });
  const [step] = steps;
  if (step === undefined) {
    const { method, path: asked } = operation('createThreadAndRun');
    throw new ScenarioBlocked(by, { kind: 'no-object', method, path: asked, object: 'thread.run.step' });
  }
  return { path, step };
}
