import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest, type RequestFields } from '../generate/base.ts';
import { dataUrl, pngFile } from '../generate/files/sample-files.ts';
import { functionTool, jsonModeRequest, userMessage, weatherTool } from './samples.ts';

const imageParts = ['body.messages[].content(array)[image_url]*'];

export const createChatCompletion = baseRequest({
  operation: 'createChatCompletion',
  ready: (context) => ready(context, context.model('chat')),
});

/** Parts of a message with an image, which only a vision model accepts. */
export const createChatCompletionWithImages = baseRequest({
  operation: 'createChatCompletion',
  roles: ['vision'],
  only: imageParts,
  ready: (context) => ready(context, context.model('vision')),
});

function ready(_stage: ScenarioContext, model: string): ReadyRequest {
  const url = dataUrl(pngFile('square.png', { width: 32, height: 32 }));
  return {
    fields: { model, messages: [userMessage('Say assay.')] },
    cheap: { max_tokens: 4 },
    companions: (field) => companions[field] ?? {},
    samples: {
      'messages[]': () => userMessage('Say assay.'),
      'messages[].role': () => 'user',
      'messages[].content': () => 'Say assay.',
      'messages[].content(array)': () => [{ type: 'text', text: 'Say assay.' }],
      'messages[].content(array)[image_url]': () => ({ type: 'image_url', image_url: { url } }),
      'messages[].content(array)[image_url].image_url': () => ({ url }),
      'tools[]': (i) => functionTool(`get_weather_${i}`),
      logit_bias: () => ({ '1': 1 }),
      response_format: () => ({ type: 'json_object' }),
      tool_choice: () => 'auto',
      'tool_choice(object)': () => ({ type: 'function', function: { name: 'get_weather_0' } }),
      top_logprobs: () => 2,
    },
    rules: {
      'top-logprobs-need-logprobs': [
        { control: { logprobs: true, top_logprobs: 2 }, violation: { logprobs: false, top_logprobs: 2 } },
      ],
      'stream-options-need-stream': [
        {
          control: { stream: true, stream_options: { include_usage: true } },
          violation: { stream: false, stream_options: { include_usage: true } },
        },
      ],
    },
  };
}

/** Further fields that a valid request with this field has. */
const companions: Readonly<Record<string, RequestFields>> = {
  top_logprobs: { logprobs: true },
  stream_options: { stream: true },
  response_format: { messages: jsonModeRequest['messages'] ?? [], max_tokens: 16 },
  tools: { messages: [weatherTool], max_tokens: 16 },
  tool_choice: { messages: [weatherTool], tools: [functionTool('get_weather_0')], max_tokens: 64 },
};
