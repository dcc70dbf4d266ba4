import type { Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { type Fields, functionTool, resources, store } from '../assistants/samples.ts';
import { authScenarios } from '../generate/auth.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { asking, begun, look, rested, run, runner, SAY, user } from './samples.ts';
import { OF_STEPS, OF_WORDS, pair, story } from './stories.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const NEW = 'createThreadAndRun';
const ON_THREAD = 'createRun';
const COUNT = user('Count from 1 to 12, digits separated by commas, nothing else.');
const WEATHER = user('What is the weather in Paris?');
const COMPUTE = user('Use the code interpreter to add two and two, then say "four".');
const weather = functionTool('get_weather');
const forecast = functionTool('get_forecast');
const FORCED = {
  tools: [forecast, weather],
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
};

/** The same request twice streamed and twice not, and what each run leaves. */
export const said = pair('said', OF_WORDS, async (stage) => ({
  assistant_id: await runner(stage),
  thread: { messages: [COUNT] },
  temperature: 0,
}));

/** The model has no say in whether a function is called, nor in which. */
export const forced = pair('forced', [], async (stage) => ({
  assistant_id: await runner(stage),
  thread: { messages: [WEATHER] },
  ...FORCED,
}));

export const settings = pair('settings', OF_WORDS, async (stage) => ({
  assistant_id: await runner(stage, { tools: [weather], temperature: 0.5, metadata: { owner: stage.tag } }),
  thread: { messages: [user(SAY)] },
  ...overrides(stage),
}));

/** On one thread, one run after the other; the second with messages and instructions on top. */
export const onThread = story(
  'on-thread',
  { operations: [ON_THREAD], shows: [...OF_STEPS, ...OF_WORDS] },
  async (stage) => {
    const assistant_id = await runner(stage);
    const path = await asking(stage, COUNT);
    const body = { assistant_id, stream: true };
    const first = await run(stage, ON_THREAD, { path, body });
    await look(stage, first);
    const more = {
      additional_instructions: 'Say nothing else.',
      additional_messages: [user('Say "first".'), user('Say "second".')],
    };
    await look(stage, await run(stage, ON_THREAD, { path, body: { ...body, ...more } }));
    await look(stage, first);
  },
);

/** Messages come with runs that are not streamed, too, and instructions beside those of the run. */
export const additional = story(
  'additional',
  { operations: [ON_THREAD], shows: [...OF_STEPS, ...OF_WORDS] },
  async (stage) => {
    const assistant_id = await runner(stage);
    const additional_messages = [
      user('Say "first".'),
      { role: 'assistant', content: 'first' },
      user('Say "second".'),
    ];
    const more = { additional_messages, additional_instructions: 'Use capital letters.' };
    for (const own of [{}, { instructions: 'Say what you are told.', stream: true }]) {
      const path = await asking(stage);
      const started = await run(stage, ON_THREAD, { path, body: { assistant_id, ...more, ...own } });
      await stage.call('listMessages', { path });
      await rested(stage, started);
      await look(stage, started);
    }
  },
);

/** Every setting of the assistant is the run's own where the request is silent; then each is overridden. */
export const overridden = story('overrides', { operations: [ON_THREAD], shows: OF_WORDS }, async (stage) => {
  const assistant_id = await runner(stage, {
    tools: [weather, { type: 'file_search' }],
    tool_resources: { file_search: { vector_store_ids: [await store(stage)] } },
    temperature: 0.25,
    top_p: 0.75,
    metadata: { owner: stage.tag },
    response_format: 'auto',
  });
  for (const own of [{ tool_choice: 'none' }, overrides(stage), { tools: [], instructions: 'Say it.' }]) {
    for (const stream of [true, false]) {
      const path = await asking(stage);
      await stage.call(ON_THREAD, { path, body: { assistant_id, ...own, stream } });
    }
  }
  // What a run overrides is its own: its assistant stays as it is.
  await stage.call('retrieveAssistant', { path: { assistant_id } });
});

/** A run that nobody says anything of, of an assistant that says nothing either; then of one that was modified. */
export const defaults = story(
  'defaults',
  { operations: [ON_THREAD, NEW], shows: OF_WORDS },
  async (stage) => {
    const assistant_id = await runner(stage, { instructions: null });
    const bare = { assistant_id };
    await stage.call(ON_THREAD, { path: await asking(stage), body: bare });
    await stage.call(ON_THREAD, { path: await asking(stage), body: { ...bare, stream: true } });
    await stage.call(NEW, { body: { ...bare, thread: { messages: [user(SAY)] } } });
    const change = { instructions: 'Say it aloud.', tools: [weather] };
    await stage.need('modifyAssistant', { path: { assistant_id }, body: change });
    const body = { ...bare, tool_choice: 'none', stream: true };
    await stage.call(ON_THREAD, { path: await asking(stage), body });
  },
);

/** Some tool has to be used, or none may be. */
export const choices = story(
  'tool-choice',
  { operations: [NEW], shows: [...OF_STEPS, ...OF_WORDS] },
  async (stage) => {
    const assistant_id = await runner(stage, { tools: [weather, forecast] });
    const common = { assistant_id, thread: { messages: [WEATHER] }, stream: true };
    for (const own of [
      { tool_choice: 'required' },
      { tool_choice: 'none' },
      { tool_choice: { type: 'function', function: { name: 'get_forecast' } } },
      { tool_choice: { type: 'file_search' }, tools: [{ type: 'file_search' }] },
      { tool_choice: 'auto' },
      { tools: [{ type: 'code_interpreter' }], thread: { messages: [COMPUTE] } },
    ]) {
      const answer = await stage.call(NEW, { body: { ...common, ...own } });
      if (answer.ok) await look(stage, begun(answer));
    }
  },
);

/** More is to be read, or written, than the budget of the run allows. */
export const budgets = story(
  'budgets',
  { operations: [NEW], shows: [...OF_STEPS, ...OF_WORDS, 'thread.message:#incomplete-at-set'] },
  async (stage) => {
    const assistant_id = await runner(stage);
    const long = user(`Say "assay". ${'This sentence is here to be read. '.repeat(100)}`);
    const endless = user('Count from 1 to 1000, digits separated by commas, nothing else.');
    const common = { assistant_id, stream: true };
    for (const own of [
      { thread: { messages: [long] }, max_prompt_tokens: 256 },
      { thread: { messages: [endless] }, max_completion_tokens: 256 },
      { thread: { messages: [user(SAY)] }, max_prompt_tokens: 4096, max_completion_tokens: 1024 },
      { thread: { messages: [WEATHER] }, ...FORCED, max_completion_tokens: 2 },
    ]) {
      const answer = await stage.call(NEW, { body: { ...common, ...own } });
      if (answer.ok) await look(stage, begun(answer));
    }
  },
);

export const jsonMode = story('json-mode', { operations: [NEW], shows: OF_WORDS }, async (stage) => {
  const instructions = 'Answer with one JSON object and nothing else.';
  const messages = [user('A JSON object whose key "word" has the value "assay".')];
  const response_format = { type: 'json_object' };
  const own = await runner(stage, { instructions, response_format });
  const other = await runner(stage, { instructions });
  await stage.call(NEW, { body: { assistant_id: own, thread: { messages }, stream: true } });
  await stage.call(NEW, {
    body: { assistant_id: other, thread: { messages }, response_format, stream: true },
  });
});

/** Everything that a new thread can be given, in its own field and beside it. */
export const newThread = story(
  'new-thread',
  { operations: [NEW], shows: [...OF_STEPS, ...OF_WORDS] },
  async (stage) => {
    const assistant_id = await runner(stage, {
      tools: [{ type: 'code_interpreter' }, { type: 'file_search' }],
    });
    const tool_resources: Json = await resources(stage);
    const messages = [user('Say "north".'), { role: 'assistant', content: 'north' }, user('Say "south".')];
    const metadata = { made_by: stage.tag };
    for (const own of [
      { thread: { messages } },
      { thread: { messages }, metadata, tool_resources },
      { thread: { messages: [{ ...Object(messages[0]), metadata }], metadata, tool_resources } },
    ]) {
      const body = { assistant_id, tool_choice: 'none', stream: true, ...own };
      const answer = await stage.call(NEW, { body });
      if (!answer.ok) continue;
      const told = begun(answer);
      await stage.call('retrieveThread', { path: { thread_id: told.path.thread_id } });
      await look(stage, told);
    }
    const body = { assistant_id, tool_choice: 'none', thread: { messages } };
    const { path } = await run(stage, NEW, { body });
    await stage.call('retrieveThread', { path: { thread_id: path.thread_id } });
    await stage.call('listMessages', { path: { thread_id: path.thread_id }, query: { order: 'asc' } });
  },
);

/** Forms of the truncation strategy that are in use; only the first one is shown. */
export const truncation = story('truncation', { operations: [NEW], shows: OF_WORDS }, async (stage) => {
  const assistant_id = await runner(stage);
  for (const truncation_strategy of [
    { type: 'auto', last_messages: null },
    { type: 'auto' },
    { type: 'last_messages', last_messages: 2 },
  ]) {
    const body = { assistant_id, thread: { messages: [user(SAY)] }, truncation_strategy, stream: true };
    await stage.call(NEW, { body });
  }
});

function overrides(stage: Stage): Fields {
  return {
    model: stage.model('assistant'),
    instructions: 'Do it at once.',
    tools: [forecast, { type: 'code_interpreter' }],
    tool_choice: 'none',
    metadata: { made_by: stage.tag, purpose: 'a look' },
    temperature: 1.5,
    top_p: 0.5,
    max_prompt_tokens: 4096,
    max_completion_tokens: 512,
    response_format: 'auto',
  };
}
