import type { Stage } from '../../drive/scenario.ts';
import { base, type Fields, type Ready } from '../generate/base.ts';
import { dataUrl, png } from '../generate/files.ts';
import { jsonMode, tool, user, weather } from './samples.ts';

const imageParts = ['body.messages[].content(array)[image_url]*'];

export const createChatCompletion = base({
  operation: 'createChatCompletion',
  ready: (stage) => ready(stage, stage.model('chat')),
});

/** Parts that only a model with eyes takes. */
export const createChatCompletionWithImages = base({
  operation: 'createChatCompletion',
  roles: ['vision'],
  only: imageParts,
  ready: (stage) => ready(stage, stage.model('vision')),
});

function ready(_stage: Stage, model: string): Ready {
  const url = dataUrl(png('square.png', { width: 32, height: 32 }));
  return {
    fields: { model, messages: [user('Say "assay".')] },
    cheap: { max_tokens: 4 },
    companions: (field) => companions[field] ?? {},
    samples: {
      'messages[]': () => user('Say "assay".'),
      'messages[].role': () => 'user',
      'messages[].content': () => 'Say "assay".',
      'messages[].content(array)': () => [{ type: 'text', text: 'Say "assay".' }],
      'messages[].content(array)[image_url]': () => ({ type: 'image_url', image_url: { url } }),
      'messages[].content(array)[image_url].image_url': () => ({ url }),
      'tools[]': (i) => tool(`get_weather_${i}`),
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

/** What a field needs beside it. */
const companions: Readonly<Record<string, Fields>> = {
  top_logprobs: { logprobs: true },
  stream_options: { stream: true },
  response_format: { messages: jsonMode['messages'] ?? [], max_tokens: 16 },
  tools: { messages: [weather], max_tokens: 16 },
  tool_choice: { messages: [weather], tools: [tool('get_weather_0')], max_tokens: 64 },
};
