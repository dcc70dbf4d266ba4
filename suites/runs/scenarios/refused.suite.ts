import { scenario } from '../../../drive/scenario/scenario.ts';
import { callRefusedStream } from '../../generate/rule-probes.ts';
import { createRunAssistant, runUserMessage, SAY } from '../samples.ts';

/** A request for a stream that has to be refused. */
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
