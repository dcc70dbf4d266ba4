import { listScenarios } from '../generate/list-scenarios.ts';
import { createRunAssistant, runUserMessage, startRunCall, waitUntilResting } from '../runs/samples.ts';
import { arrayAt } from '../vocabulary/json.ts';

/** A run with two built-in tools has three steps with different timestamps. */
export const listPaging = listScenarios({
  operation: 'listRunSteps',
  cost: ['tokens'],
  roles: ['assistant'],
  owner: async (context) => {
    const tools = [{ type: 'file_search' }, { type: 'code_interpreter' }];
    const question = runUserMessage('Use the file search, then the code interpreter, then say assay.');
    const started = await startRunCall(context, 'createThreadAndRun', {
      body: {
        assistant_id: await createRunAssistant(context, { tools }),
        thread: { messages: [question] },
        tool_choice: { type: 'file_search' },
      },
    });
    const { path } = started;
    await context.poll('listRunSteps', { path }, (answer) => arrayAt(answer, 'data').length > 0);
    await context.nextSecond();
    await waitUntilResting(context, started);
    return path;
  },
});
