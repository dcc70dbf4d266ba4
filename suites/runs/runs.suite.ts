// The scenarios that need code; the others are in `scenarios.json`.
import { scenario } from '../../drive/scenario/scenario.ts';
import { OTHER_ROLES, otherModel } from '../assistants/samples.ts';
import { callRefusedStream } from '../generate/rule-probes.ts';
import { createAskingThread, createRunAssistant, runUserMessage, SAY } from './samples.ts';

export const otherModelScenario = scenario({
  name: 'runs.other-model',
  operations: ['createRun', 'createThreadAndRun'],
  cost: ['tokens'],
  roles: ['assistant', ...OTHER_ROLES],
  run: async (context) => {
    const model = otherModel(context);
    if (model === null) return;
    const body = {
      assistant_id: await createRunAssistant(context),
      model,
      stream: true,
      max_completion_tokens: 256,
    };
    await context.call('createRun', { path: await createAskingThread(context), body });
    const thread = { messages: [runUserMessage(SAY)] };
    for (const stream of [true, false])
      await context.call('createThreadAndRun', { body: { ...body, stream, thread } });
  },
});

export const runsRefusedStreamScenario = scenario({
  name: 'runs.stream.refused',
  operations: ['createThreadAndRun'],
  roles: ['assistant'],
  run: async (context) => {
    const assistant_id = await createRunAssistant(context);
    const thread = { messages: [runUserMessage(SAY)] };
    await callRefusedStream(context, 'createThreadAndRun', { assistant_id, thread });
  },
});
