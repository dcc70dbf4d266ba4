import type { Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { functionTool, resources } from '../assistants/samples.ts';
import { type Base, base, type Fields, type Ready } from '../generate/base.ts';
import { asking, isUnderWay, runner, SAY, user } from './samples.ts';

/** No run writes more than this, and streamed it has ended when its answer has. */
const CHEAP = { stream: true, max_completion_tokens: 256 };

export const createRun = base({
  operation: 'createRun',
  roles: ['assistant'],
  ready: async (stage) => ({
    ...(await ready(stage)),
    path: await asking(stage),
    // A thread belongs to its run as long as that is under way.
    renew: async (answer) => (isUnderWay(answer) ? asking(stage) : undefined),
  }),
});

export const createThreadAndRun = base({
  operation: 'createThreadAndRun',
  roles: ['assistant'],
  ready,
});

export const createThreadAndRunWithResources: Base = base({
  operation: 'createThreadAndRun',
  roles: ['assistant'],
  only: ['body.tool_resources*'],
  ready: async (stage) => {
    const own = await ready(stage);
    const { code_interpreter: code = null, file_search: search = null } = await resources(stage);
    const samples: NonNullable<Ready['samples']> = {
      ...own.samples,
      tool_resources: () => ({ code_interpreter: code, file_search: search }),
      'tool_resources.code_interpreter': () => code,
      'tool_resources.file_search': () => search,
    };
    return { ...own, samples };
  },
});

async function ready(stage: Stage): Promise<Ready> {
  return {
    fields: { assistant_id: await runner(stage) },
    cheap: CHEAP,
    companions: (field) => companions[field] ?? {},
    rules: {
      // The form of a strategy is not shown, nor that of a message: none at all is sure to be one.
      'body.truncation_strategy#type': [{ control: {}, violation: { truncation_strategy: 'assay' } }],
      'body.additional_messages#type': [
        { control: { additional_messages: [] }, violation: { additional_messages: 'assay' } },
        { control: { additional_messages: null } },
      ],
    },
    samples: {
      model: () => stage.model('assistant'),
      'tools[]': (i) => functionTool(`fact_${i}`),
      'tools[function]': (i) => functionTool(`fact_${i}`),
      'tool_choice(object)': () => CHOSEN,
      'tool_choice(object)(function)': () => CHOSEN,
      'tool_choice(object)(function).function': () => CHOSEN.function,
      'tool_choice(object)(function).function.name': () => CHOSEN.function.name,
      'thread.messages[]': () => user(SAY),
      'thread.messages[].content': () => SAY,
      max_prompt_tokens: () => 4096,
      max_completion_tokens: () => 256,
    },
  };
}

const CHOSEN = { type: 'function', function: { name: 'fact_0' } };

const JSON_WANTED: Json = 'Answer with a JSON object whose key "word" has the value "assay".';

/** What a field needs beside it. */
const companions: Readonly<Record<string, Fields>> = {
  tools: { tool_choice: 'none' },
  tool_choice: { tools: [functionTool('fact_0'), { type: 'file_search' }] },
  response_format: { instructions: JSON_WANTED },
};
