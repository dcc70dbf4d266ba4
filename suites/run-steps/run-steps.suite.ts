import { list } from '../../judge/json.ts';
import { authScenarios } from '../generate/auth.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import { rested, run, runner, user } from '../runs/samples.ts';
import * as bases from './base.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

/** A run makes its steps itself; one that is to use two built-in tools has three of them, some time apart. */
export const lists = listScenarios({
  operation: 'listRunSteps',
  cost: ['tokens'],
  roles: ['assistant'],
  owner: async (stage) => {
    const tools = [{ type: 'file_search' }, { type: 'code_interpreter' }];
    const question = user('Use the file search, then the code interpreter, then say "assay".');
    const started = await run(stage, 'createThreadAndRun', {
      body: {
        assistant_id: await runner(stage, { tools }),
        thread: { messages: [question] },
        tool_choice: { type: 'file_search' },
      },
    });
    const { path } = started;
    await stage.poll('listRunSteps', { path }, (answer) => list(answer, 'data').length > 0);
    await stage.nextSecond();
    await rested(stage, started);
    return path;
  },
});
