import { type Role, type Scenario, type Stage, scenario } from '../../drive/scenario.ts';
import { authScenarios } from '../generate/auth.ts';
import { dataUrl, png } from '../generate/files.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { type Chat, jsonMode, tool, user, weather } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const say = [user('Say "assay".')];
const count = [user('Count from 1 to 20, digits separated by commas, nothing else.')];

export const plain = chat('plain', () => [{ messages: say, max_tokens: 16 }]);

/** Every role and both forms of content that are shown. */
export const turns = chat('turns', () => [
  {
    messages: [
      { role: 'system', content: 'Answer in one word.' },
      user('Say "north".'),
      { role: 'assistant', content: 'north' },
      user([
        { type: 'text', text: 'Say' },
        { type: 'text', text: '"assay".' },
      ]),
    ],
    max_tokens: 16,
  },
]);

export const several = chat('n', () => [{ messages: say, n: 3, max_tokens: 8 }]);

export const length = chat('length', () => [{ messages: count, max_tokens: 3 }]);

export const stop = chat('stop', () => [
  { messages: count, max_tokens: 48, stop: '7' },
  { messages: count, max_tokens: 48, stop: ['9', '8', '7', '6'] },
]);

/** The model has no say in whether a function is called, nor in which. */
export const forced = chat('tools.forced', () => [
  {
    messages: [weather],
    tools: [tool('get_weather'), tool('get_forecast')],
    tool_choice: { type: 'function', function: { name: 'get_forecast' } },
    max_tokens: 64,
  },
]);

export const required = chat('tools.required', () => [
  { messages: [weather], tools: [tool('get_weather')], tool_choice: 'required', max_tokens: 64 },
]);

export const forbidden = chat('tools.none', () => [
  { messages: [weather], tools: [tool('get_weather')], tool_choice: 'none', max_tokens: 32 },
]);

/** Whether the model calls is its own choice, and said twice: by name and by default. */
export const free = chat('tools.auto', () => [
  { messages: [weather], tools: [tool('get_weather')], tool_choice: 'auto', max_tokens: 64 },
  { messages: [weather], tools: [tool('get_weather')], max_tokens: 64 },
]);

export const json = chat('json-mode', () => [{ ...jsonMode, max_tokens: 256 }]);

export const logprobs = chat('logprobs', () => [
  { messages: say, max_tokens: 4, logprobs: true, top_logprobs: 3 },
  { messages: say, max_tokens: 4, logprobs: true },
  { messages: say, max_tokens: 4, logprobs: true, top_logprobs: 2, n: 2 },
]);

export const penalties = chat('penalties', () => [
  { messages: say, max_tokens: 8, frequency_penalty: 1.5, presence_penalty: -1.5, top_p: 0.5 },
]);

/** The same question four times under one seed: best-effort determinism is seen here, not judged. */
export const seed = chat('seed', () => [
  { messages: say, max_tokens: 8, seed: 42 },
  { messages: say, max_tokens: 8, seed: 42 },
]);

export const images = chat(
  'images',
  () => [
    {
      messages: [
        user([
          { type: 'text', text: 'Which shape is this? One word.' },
          { type: 'image_url', image_url: { url: dataUrl(png('square.png', { width: 32, height: 32 })) } },
        ]),
      ],
      max_tokens: 16,
    },
  ],
  'vision',
);

/** Usage comes in a stream only when it is asked for. */
export const usage = scenario({
  name: 'chat.stream.usage',
  family: 'chat',
  operations: ['createChatCompletion'],
  shows: ['chat.completion.chunk:*', 'chat.stream.*'],
  cost: ['tokens'],
  roles: ['chat'],
  run: async (stage) => {
    const body = { model: stage.model('chat'), messages: say, max_tokens: 8, stream: true };
    await stage.call('createChatCompletion', { body });
    await stage.call('createChatCompletion', { body: { ...body, stream_options: { include_usage: false } } });
    await stage.call('createChatCompletion', {
      body: { ...body, stream_options: { include_usage: true }, n: 2 },
    });
  },
});

/** A scenario that asks for a whole answer, and then for a stream of the same. */
function chat(topic: string, ask: () => readonly Chat[], role: Role = 'chat'): Scenario {
  return scenario({
    name: `chat.${topic}`,
    family: 'chat',
    operations: ['createChatCompletion'],
    shows: ['chat.completion:*', 'chat.completion.chunk:*', 'chat.*', 'usage:*'],
    cost: ['tokens'],
    roles: [role],
    run: (stage) => bothWays(stage, role, ask()),
  });
}

async function bothWays(stage: Stage, role: Role, requests: readonly Chat[]): Promise<void> {
  for (const fields of requests) {
    const body = { model: stage.model(role), temperature: 0, seed: 7, ...fields };
    await stage.call('createChatCompletion', { body });
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
    await stage.call('createChatCompletion', { body: streamed });
  }
}
