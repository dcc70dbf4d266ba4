// Scenarios about the model of a run and about tools that its request forces.
import { type ScenarioContext, scenario } from '../../../drive/scenario/scenario.ts';
import { assistantFunction, createEmptyStore, OTHER_ROLES, otherModel } from '../../assistants/samples.ts';
import { invalidFileCall } from '../../generate/invalid-files.ts';
import { sendRuleProbes } from '../../generate/rule-probes.ts';
import { UNKNOWN_MODEL } from '../../models/samples.ts';
import {
  createAskingThread,
  createRunAssistant,
  FORCED_SEARCH,
  retrieveRunObjects,
  runUserMessage,
  SAY,
  startedRunOf,
} from '../samples.ts';

const traits = { family: 'runs', cost: ['tokens'] } as const;
const MOST = { stream: true, max_completion_tokens: 256 };

/** A run with another model than that of its assistant; the assistant keeps its own. */
export const otherModelScenario = scenario({
  ...traits,
  name: 'runs.other-model',
  operations: ['createRun', 'createThreadAndRun'],
  roles: ['assistant', ...OTHER_ROLES],
  run: async (context) => {
    const model = otherModel(context);
    if (model === null) return;
    const body = { assistant_id: await createRunAssistant(context), model, ...MOST };
    await context.call('createRun', { path: await createAskingThread(context), body });
    const thread = { messages: [runUserMessage(SAY)] };
    for (const stream of [true, false])
      await context.call('createThreadAndRun', { body: { ...body, stream, thread } });
  },
});

/** The file search is forced by a labelled request, the code interpreter by one without a label. */
export const forcedToolsScenario = scenario({
  ...traits,
  name: 'runs.forced-tools',
  operations: ['createRun', 'createThreadAndRun'],
  roles: ['assistant'],
  run: runForcedTools,
});

async function runForcedTools(context: ScenarioContext): Promise<void> {
  const assistant_id = await searchingAssistant(context);
  const search = { tool_choice: { type: 'file_search' } };
  const thread = { messages: [runUserMessage(SAY)] };
  const plan = { pointer: 'body.tool_choice', keyword: FORCED_SEARCH } as const;
  const body = { assistant_id, ...MOST };
  const path = await createAskingThread(context);
  await sendRuleProbes(context, {
    ...plan,
    operation: 'createRun',
    keeping: [{ path, body: { ...body, ...search } }],
  });
  await sendRuleProbes(context, {
    ...plan,
    operation: 'createThreadAndRun',
    keeping: [{ body: { ...body, thread, ...search } }],
  });
  const other = { tools: [{ type: 'code_interpreter' }], tool_choice: { type: 'code_interpreter' } };
  await context.call('createThreadAndRun', { body: { ...body, thread, ...other } });
}

/** A run by a model that does not exist, which fails where it is not refused. */
export const unknownModelScenario = scenario({
  ...traits,
  name: 'runs.unknown-model',
  operations: ['createThreadAndRun', 'listRunSteps', 'retrieveRunStep', 'retrieveMessage'],
  roles: ['assistant'],
  run: async (context) => {
    const assistant_id = await createRunAssistant(context);
    const thread = { messages: [runUserMessage(SAY)] };
    const result = await context.call('createThreadAndRun', {
      ...invalidFileCall('createThreadAndRun', 'model', 'unknown'),
      body: { assistant_id, thread, ...MOST, model: UNKNOWN_MODEL },
    });
    if (result.ok) await retrieveRunObjects(context, startedRunOf(result));
  },
});

/** A run of an assistant that does not exist. */
export const unknownAssistantScenario = scenario({
  ...traits,
  name: 'runs.unknown-assistant',
  operations: ['createRun'],
  roles: ['assistant'],
  run: async (context) => {
    // An accepted run shows that a rejection is about the assistant alone.
    const assistant_id = await createRunAssistant(context);
    await context.need('createRun', {
      path: await createAskingThread(context),
      body: { assistant_id, ...MOST },
    });
    const path = await createAskingThread(context);
    const body = { assistant_id: context.unknownId('asst_'), ...MOST };
    await context.call('createRun', {
      ...invalidFileCall('createRun', 'assistant_id', 'unknown'),
      path,
      body,
    });
  },
});

/** An assistant with a store to search, which is empty, and a function. */
async function searchingAssistant(context: ScenarioContext): Promise<string> {
  return createRunAssistant(context, {
    tools: [assistantFunction('weather'), { type: 'file_search' }],
    tool_resources: { file_search: { vector_store_ids: [await createEmptyStore(context)] } },
  });
}
