import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { assistantFunction, createToolResources } from '../assistants/samples.ts';
import { type BaseRequest, baseRequest, type ReadyRequest, type RequestFields } from '../generate/base.ts';
import type { Json } from '../vocabulary/types.ts';
import { createAskingThread, createRunAssistant, isUnderWay, runUserMessage, SAY } from './samples.ts';

/** No run writes more than this, and streamed it has ended when its answer has. */
const CHEAP = { stream: true, max_completion_tokens: 256 };

export const createRun = baseRequest({
  operation: 'createRun',
  roles: ['assistant'],
  ready: async (context) => ({
    ...(await ready(context)),
    path: await createAskingThread(context),
    // A thread belongs to its run as long as that is under way.
    renew: async (result) => (isUnderWay(result) ? createAskingThread(context) : undefined),
  }),
});

export const createThreadAndRun = baseRequest({
  operation: 'createThreadAndRun',
  roles: ['assistant'],
  ready,
});

export const createThreadAndRunWithResources: BaseRequest = baseRequest({
  operation: 'createThreadAndRun',
  roles: ['assistant'],
  only: ['body.tool_resources*'],
  ready: async (context) => {
    const own = await ready(context);
    const { code_interpreter: code = null, file_search: search = null } = await createToolResources(context);
    const samples: NonNullable<ReadyRequest['samples']> = {
      ...own.samples,
      tool_resources: () => ({ code_interpreter: code, file_search: search }),
      'tool_resources.code_interpreter': () => code,
      'tool_resources.file_search': () => search,
    };
    return { ...own, samples };
  },
});

async function ready(context: ScenarioContext): Promise<ReadyRequest> {
  return {
    fields: { assistant_id: await createRunAssistant(context) },
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
      model: () => context.model('assistant'),
      'tools[]': (i) => assistantFunction(`fact_${i}`),
      'tools[function]': (i) => assistantFunction(`fact_${i}`),
      'tool_choice(object)': () => CHOSEN,
      'tool_choice(object)(function)': () => CHOSEN,
      'tool_choice(object)(function).function': () => CHOSEN.function,
      'tool_choice(object)(function).function.name': () => CHOSEN.function.name,
      'thread.messages[]': () => runUserMessage(SAY),
      'thread.messages[].content': () => SAY,
      max_prompt_tokens: () => 4096,
      max_completion_tokens: () => 256,
    },
  };
}

const CHOSEN = { type: 'function', function: { name: 'fact_0' } };

const JSON_WANTED: Json = 'Answer with a JSON object whose key word has the value assay.';

/** Further fields that a field needs. */
const companions: Readonly<Record<string, RequestFields>> = {
  tools: { tool_choice: 'none' },
  tool_choice: { tools: [assistantFunction('fact_0'), { type: 'file_search' }] },
  response_format: { instructions: JSON_WANTED },
};
