import { type Scenario, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import {
  assistantFunction,
  createSampleAssistant,
  OTHER_ROLES,
  offeredSearch,
  offeredToolResources,
  otherModel,
} from '../assistants/samples.ts';
import { invalidFileCall } from '../generate/invalid-files.ts';
import { callRefusedStream, sendRuleProbes } from '../generate/rule-probes.ts';
import { UNKNOWN_MODEL } from '../models/samples.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';
import {
  createAskingThread,
  createRunAssistant,
  FORCED_SEARCH,
  retrieveRunObjects,
  runUserMessage,
  SAY,
  startedRunOf,
  startRunCall,
  waitUntilResting,
} from './samples.ts';

const LOOK_UPS = ['listRunSteps', 'retrieveRunStep', 'listMessages'];
const NEW = 'createThreadAndRun';
const ON_THREAD = 'createRun';
const COUNT = runUserMessage('Count from 1 to 12, digits separated by commas, nothing else.');
const WEATHER = runUserMessage('What is the weather in Paris?');
const COMPUTE = runUserMessage('Use the code interpreter to add two and two, then say four.');
const weather = assistantFunction('get_weather');
const forecast = assistantFunction('get_forecast');
const FORCED = {
  tools: [forecast, weather],
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
};

export const said = runStreamedAndWhole('said', async (context) => ({
  assistant_id: await createRunAssistant(context),
  thread: { messages: [COUNT] },
  temperature: 0,
}));

/** Letters of two, three and four bytes. */
export const letters = runTemplate('letters', [NEW], async (context) => {
  const assistant_id = await createRunAssistant(context);
  const thread = { messages: [runUserMessage('Say "Grüße, 東京, 🎉, ok."')] };
  const result = await context.call(NEW, { body: { assistant_id, thread, stream: true } });
  if (result.ok) await retrieveRunObjects(context, startedRunOf(result));
});

export const forced = runStreamedAndWhole('forced', async (context) => ({
  assistant_id: await createRunAssistant(context),
  thread: { messages: [WEATHER] },
  ...FORCED,
}));

export const settings = runStreamedAndWhole('settings', async (context) => ({
  assistant_id: await createRunAssistant(context, {
    tools: [weather],
    temperature: 0.5,
    metadata: { owner: context.tag },
  }),
  thread: { messages: [runUserMessage(SAY)] },
  ...overrides(context),
}));

export const onThread = runTemplate('on-thread', [ON_THREAD], async (context) => {
  const assistant_id = await createRunAssistant(context);
  const path = await createAskingThread(context, COUNT);
  const body = { assistant_id, stream: true };
  const first = await startRunCall(context, ON_THREAD, { path, body });
  await retrieveRunObjects(context, first);
  const more = {
    additional_instructions: 'Say nothing else.',
    additional_messages: [runUserMessage('Say first.'), runUserMessage('Say second.')],
  };
  await retrieveRunObjects(
    context,
    await startRunCall(context, ON_THREAD, { path, body: { ...body, ...more } }),
  );
  await retrieveRunObjects(context, first);
});

export const additional = runTemplate('additional', [ON_THREAD], async (context) => {
  const assistant_id = await createRunAssistant(context);
  const additional_messages = [
    runUserMessage('Say first.'),
    { role: 'assistant', content: 'first' },
    runUserMessage('Say second.'),
  ];
  const more = { additional_messages, additional_instructions: 'Use capital letters.' };
  for (const own of [{}, { instructions: 'Repeat the text of the request.', stream: true }]) {
    const path = await createAskingThread(context);
    const started = await startRunCall(context, ON_THREAD, { path, body: { assistant_id, ...more, ...own } });
    await context.call('listMessages', { path });
    await waitUntilResting(context, started);
    await retrieveRunObjects(context, started);
  }
});

export const overridden = runTemplate('overrides', [ON_THREAD], async (context) => {
  const assistant_id = await createRunAssistant(context, {
    tools: [weather, { type: 'file_search' }],
    tool_resources: await offeredSearch(context),
    temperature: 0.25,
    top_p: 0.75,
    metadata: { owner: context.tag },
    response_format: 'auto',
  });
  for (const own of [{ tool_choice: 'none' }, overrides(context), { tools: [], instructions: 'Say it.' }]) {
    for (const stream of [true, false]) {
      const path = await createAskingThread(context);
      await context.call(ON_THREAD, { path, body: { assistant_id, ...own, stream } });
    }
  }
  // Overrides apply to the run only.
  await context.call('retrieveAssistant', { path: { assistant_id } });
});

export const defaults = runTemplate('defaults', [ON_THREAD, NEW], async (context) => {
  const assistant_id = await createSampleAssistant(context, 'served');
  const bare = { assistant_id };
  await context.call(ON_THREAD, { path: await createAskingThread(context), body: bare });
  await context.call(ON_THREAD, { path: await createAskingThread(context), body: { ...bare, stream: true } });
  await context.call(NEW, { body: { ...bare, thread: { messages: [runUserMessage(SAY)] } } });
  const change = { instructions: 'Say it aloud.', tools: [weather] };
  await context.need('modifyAssistant', { path: { assistant_id }, body: change });
  const body = { ...bare, tool_choice: 'none', stream: true };
  await context.call(ON_THREAD, { path: await createAskingThread(context), body });
});

export const choices = runTemplate('tool-choice', [NEW], async (context) => {
  const assistant_id = await createRunAssistant(context, { tools: [weather, forecast] });
  const common = { assistant_id, thread: { messages: [WEATHER] }, stream: true };
  for (const own of [
    { tool_choice: 'required' },
    { tool_choice: 'none' },
    { tool_choice: { type: 'function', function: { name: 'get_forecast' } } },
    { tool_choice: { type: 'file_search' }, tools: [{ type: 'file_search' }] },
    { tool_choice: 'auto' },
    { tools: [{ type: 'code_interpreter' }], thread: { messages: [COMPUTE] } },
  ]) {
    const result = await context.call(NEW, { body: { ...common, ...own } });
    if (result.ok) await retrieveRunObjects(context, startedRunOf(result));
  }
});

export const budgets = runTemplate('budgets', [NEW, ON_THREAD], async (context) => {
  const assistant_id = await createRunAssistant(context);
  const long = runUserMessage(`Say assay. ${'This sentence is here to be read. '.repeat(100)}`);
  const endless = runUserMessage('Count from 1 to 1000, digits separated by commas, nothing else.');
  const common = { assistant_id, stream: true };
  for (const own of [
    { thread: { messages: [long] }, max_prompt_tokens: 256 },
    { thread: { messages: [endless] }, max_completion_tokens: 256 },
    // Even a terse model exceeds this limit, while one word and its end token fit.
    { thread: { messages: [endless] }, max_completion_tokens: 8 },
    { thread: { messages: [runUserMessage(SAY)] }, max_prompt_tokens: 4096, max_completion_tokens: 1024 },
    { thread: { messages: [WEATHER] }, ...FORCED, max_completion_tokens: 2 },
  ]) {
    const result = await context.call(NEW, { body: { ...common, ...own } });
    if (result.ok) await retrieveRunObjects(context, startedRunOf(result));
  }
  for (const [message, budget] of [
    [long, { max_prompt_tokens: 256 }],
    [endless, { max_completion_tokens: 8 }],
  ] as const) {
    const path = await createAskingThread(context, message);
    const result = await context.call(ON_THREAD, { path, body: { ...common, ...budget } });
    if (result.ok) await retrieveRunObjects(context, startedRunOf(result));
  }
});

export const jsonMode = runTemplate('json-mode', [NEW, ON_THREAD], async (context) => {
  const instructions = 'Answer with one JSON object and nothing else.';
  const messages = [runUserMessage('A JSON object whose key word has the value assay.')];
  const response_format = { type: 'json_object' };
  const own = await createRunAssistant(context, { instructions, response_format });
  const other = await createRunAssistant(context, { instructions });
  await context.call(NEW, { body: { assistant_id: own, thread: { messages }, stream: true } });
  await context.call(NEW, {
    body: { assistant_id: other, thread: { messages }, response_format, stream: true },
  });
  const path = await createAskingThread(context, ...messages);
  await context.call(ON_THREAD, { path, body: { assistant_id: other, response_format, stream: true } });
  const started = await startRunCall(context, ON_THREAD, {
    path: await createAskingThread(context, ...messages),
    body: { assistant_id: other, response_format },
  });
  await waitUntilResting(context, started);
  await retrieveRunObjects(context, started);
});

export const newThread = runTemplate('new-thread', [NEW], async (context) => {
  const assistant_id = await createRunAssistant(context, {
    tools: [{ type: 'code_interpreter' }, { type: 'file_search' }],
  });
  const tool_resources: Json = await offeredToolResources(context);
  const messages = [
    runUserMessage('Say north.'),
    { role: 'assistant', content: 'north' },
    runUserMessage('Say south.'),
  ];
  const metadata = { made_by: context.tag };
  for (const own of [
    { thread: { messages } },
    { thread: { messages }, metadata, tool_resources },
    { thread: { messages: [{ ...Object(messages[0]), metadata }], metadata, tool_resources } },
  ]) {
    const body = { assistant_id, tool_choice: 'none', stream: true, ...own };
    const result = await context.call(NEW, { body });
    if (!result.ok) continue;
    const run = startedRunOf(result);
    await context.call('retrieveThread', { path: { thread_id: run.path.thread_id } });
    await retrieveRunObjects(context, run);
  }
  const body = { assistant_id, tool_choice: 'none', thread: { messages } };
  const { path } = await startRunCall(context, NEW, { body });
  await context.call('retrieveThread', { path: { thread_id: path.thread_id } });
  await context.call('listMessages', { path: { thread_id: path.thread_id }, query: { order: 'asc' } });
});

export const truncation = runTemplate('truncation', [NEW, ON_THREAD], async (context) => {
  const assistant_id = await createRunAssistant(context);
  for (const truncation_strategy of [
    { type: 'auto', last_messages: null },
    { type: 'auto' },
    { type: 'last_messages', last_messages: 2 },
  ]) {
    const body = {
      assistant_id,
      thread: { messages: [runUserMessage(SAY)] },
      truncation_strategy,
      stream: true,
    };
    await context.call(NEW, { body });
  }
  const truncation_strategy = { type: 'last_messages', last_messages: 1 };
  const body = { assistant_id, truncation_strategy, stream: true };
  await context.call(ON_THREAD, { path: await createAskingThread(context), body });
});

function overrides(context: ScenarioContext): JsonObject {
  return {
    model: context.model('assistant'),
    instructions: 'Do it at once.',
    tools: [forecast, { type: 'code_interpreter' }],
    tool_choice: 'none',
    metadata: { made_by: context.tag, purpose: '一瞥, 🎉, e\u0301' },
    temperature: 1.5,
    top_p: 0.5,
    max_prompt_tokens: 4096,
    max_completion_tokens: 512,
    response_format: 'auto',
  };
}

export function runStreamedAndWhole(
  topic: string,
  ask: (context: ScenarioContext) => Promise<JsonObject>,
): Scenario {
  return runTemplate(topic, ['createThreadAndRun'], async (context) => {
    const body = await ask(context);
    for (const stream of [true, false, true, false]) {
      const started = await startRunCall(context, 'createThreadAndRun', { body: { ...body, stream } });
      if (!stream) await waitUntilResting(context, started);
      await retrieveRunObjects(context, started);
    }
  });
}

/** A scenario of runs. It also shows run steps and messages, so it counts for their requirements. */
export function runTemplate(
  topic: string,
  operations: readonly string[],
  perform: (context: ScenarioContext) => Promise<void>,
): Scenario {
  return scenario({
    name: `runs.${topic}`,
    operations: [...operations, ...LOOK_UPS],
    cost: ['tokens'],
    roles: ['assistant'],
    run: perform,
  });
}

const traits = { family: 'runs', cost: ['tokens'] } as const;
const MOST = { stream: true, max_completion_tokens: 256 };

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

export const unknownAssistantScenario = scenario({
  ...traits,
  name: 'runs.unknown-assistant',
  operations: ['createRun'],
  roles: ['assistant'],
  run: async (context) => {
    // An accepted run shows that the rejection is about the assistant only.
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

async function searchingAssistant(context: ScenarioContext): Promise<string> {
  return createRunAssistant(context, {
    tools: [assistantFunction('weather'), { type: 'file_search' }],
    tool_resources: await offeredSearch(context),
  });
}

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
