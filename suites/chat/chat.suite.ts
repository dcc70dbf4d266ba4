import { valueAt } from '../../drive/scenario/call-result.ts';
import {
  type ModelRole,
  type Scenario,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import { callRefusedStream } from '../generate/rule-probes.ts';
import { dataUrl, pngFile } from '../generate/sample-files.ts';
import type { Json } from '../vocabulary/types.ts';
import { type ChatFields, functionTool, jsonModeRequest, userMessage, weatherTool } from './samples.ts';

const say = [userMessage('Say assay.')];
const count = [userMessage('Count from 1 to 20, digits separated by commas, nothing else.')];

export const plain = chat('plain', [{ messages: say, max_tokens: 16 }]);

/** Every role, and both forms of content that the specification shows. */
export const turns = chat('turns', [
  {
    messages: [
      { role: 'system', content: 'Answer in one word.' },
      userMessage('Say north.'),
      { role: 'assistant', content: 'north' },
      userMessage([
        { type: 'text', text: 'Say' },
        { type: 'text', text: 'assay.' },
      ]),
    ],
    max_tokens: 16,
  },
]);

const system = { role: 'system', content: 'Answer in one word.' };
const north = { role: 'assistant', content: 'north' };

/**
 * Orders of roles that some model templates do not expect; the specification prescribes none. Late system messages
 * and consecutive equal roles alternate, so that a target that fails on one of them responds in between.
 */
export const order = chat(
  'roles',
  [
    [userMessage('Say north.'), north, system, userMessage('Say assay.')],
    [userMessage('Say north.'), userMessage('Now say assay.')],
    [userMessage('Say assay.'), system],
    [userMessage('Say north.'), north, north, userMessage('Say assay.')],
    [system, userMessage('Say north.'), north, system, userMessage('Say assay.')],
    [system, userMessage('Say north.'), userMessage('Now say assay.')],
  ].map((messages) => ({ messages, max_tokens: 8 })),
);

export const several = chat('n', [
  { messages: say, n: 3, max_tokens: 8 },
  // Each choice uses all of its tokens, so the usage has a lower bound.
  { messages: count, n: 3, max_tokens: 3 },
  // More than a small server generates concurrently.
  { messages: say, n: 8, max_tokens: 2 },
]);

/** Letters of two, three and four bytes, a letter with a combining mark, and a sequence of two joined characters. */
export const letters = chat('letters', [
  { messages: [userMessage('Say Grüße, 東京, 🎉, e\u0301, 👩\u200d🚀, ok.')], max_tokens: 48 },
]);

/** Twice, so that non-streamed and streamed replies show whether they are deterministic. */
export const length = chat('length', [
  { messages: count, max_tokens: 3 },
  { messages: count, max_tokens: 3 },
]);

export const stop = chat('stop', [
  { messages: count, max_tokens: 48, stop: '7' },
  { messages: count, max_tokens: 48, stop: ['9', '8', '7', '6'] },
]);

/** Forced calls: the model decides neither whether to call nor which function. */
export const forced = chat(
  'tools.forced',
  ['get_forecast', 'get_weather'].map((name) => ({
    messages: [weatherTool],
    tools: [functionTool('get_weather'), functionTool('get_forecast')],
    tool_choice: { type: 'function', function: { name } },
    max_tokens: 64,
  })),
);

export const required = chat(
  'tools.required',
  ['get_weather', 'get_forecast'].map((name) => ({
    messages: [weatherTool],
    tools: [functionTool(name)],
    tool_choice: 'required',
    max_tokens: 64,
  })),
);

export const forbidden = chat('tools.none', [
  { messages: [weatherTool], tools: [functionTool('get_weather')], tool_choice: 'none', max_tokens: 32 },
]);

/** Two functions that one question needs, so that a reply may call both. */
export const severalCalls = chat('tools.several', [
  {
    messages: [
      userMessage('What are the weather and the forecast in Paris, in celsius? Ask both functions at once.'),
    ],
    tools: [functionTool('get_weather'), functionTool('get_forecast')],
    tool_choice: 'auto',
    max_tokens: 128,
  },
]);

/** Calls that are the model's decision: `tool_choice` auto, sent and by default. */
export const free = chat('tools.auto', [
  { messages: [weatherTool], tools: [functionTool('get_weather')], tool_choice: 'auto', max_tokens: 64 },
  { messages: [weatherTool], tools: [functionTool('get_weather')], max_tokens: 64 },
]);

/** The result of a call, as clients send it. The specification does not show its form. */
export const results = chat('tools.results', [
  { messages: [weatherTool], tools: [functionTool('get_weather')], max_tokens: 32 },
  {
    messages: [
      weatherTool,
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'get_weather', arguments: '{}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '22 degrees' },
    ],
    tools: [functionTool('get_weather')],
    max_tokens: 32,
  },
]);

export const json = chat('json-mode', [{ ...jsonModeRequest, max_tokens: 256 }]);

export const logprobs = chat('logprobs', [
  { messages: say, max_tokens: 4, logprobs: true, top_logprobs: 3 },
  { messages: say, max_tokens: 4, logprobs: true },
  // Twice, so that their tokens are compared.
  { messages: count, max_tokens: 4, logprobs: true },
  { messages: count, max_tokens: 4, logprobs: true },
  { messages: say, max_tokens: 4, logprobs: true, top_logprobs: 2, n: 2 },
  { messages: say, max_tokens: 4, logprobs: true, tools: [functionTool('get_weather')], tool_choice: 'none' },
]);

/** A token id that every vocabulary has: the first hundred are bytes or letters. */
const FORCED_TOKEN = '64';

export const forcedToken = chat('logit-bias', [
  { messages: count, max_tokens: 8, logit_bias: { [FORCED_TOKEN]: 100 }, logprobs: true },
]);

export const penalties = chat('penalties', [
  { messages: say, max_tokens: 8, frequency_penalty: 1.5, presence_penalty: -1.5, top_p: 0.5 },
]);

/**
 * The same question with one seed, twice: determinism is best-effort, so it is a choice and not a
 * requirement.
 */
export const seed = chat('seed', [
  { messages: say, max_tokens: 8, seed: 42 },
  { messages: say, max_tokens: 8, seed: 42 },
]);

export const images = chat(
  'images',
  [
    {
      messages: [
        userMessage([
          { type: 'text', text: 'Which shape is this? One word.' },
          {
            type: 'image_url',
            image_url: { url: dataUrl(pngFile('square.png', { width: 32, height: 32 })) },
          },
        ]),
      ],
      max_tokens: 16,
    },
  ],
  'vision',
);

/** A stream contains usage only if it is requested. */
export const chatStreamUsageScenario = scenario({
  name: 'chat.stream.usage',
  operations: ['createChatCompletion'],
  roles: ['chat'],
  run: async (context) => {
    const body = { model: context.model('chat'), messages: say, max_tokens: 8, stream: true };
    await context.acrossSeconds('createChatCompletion', { body });
    await context.call('createChatCompletion', {
      body: { ...body, stream_options: { include_usage: false } },
    });
    await context.call('createChatCompletion', {
      body: { ...body, stream_options: { include_usage: true }, n: 2 },
    });
  },
});

/** A request for a stream that has to be refused. */
export const chatRefusedStreamScenario = scenario({
  name: 'chat.stream.refused',
  operations: ['createChatCompletion'],
  roles: ['chat'],
  run: (context) =>
    callRefusedStream(context, 'createChatCompletion', {
      model: context.model('chat'),
      messages: say,
      max_tokens: 4,
    }),
});

/** A limit of zero tokens, about which nothing is stated. */
export const noTokens = chat('no-tokens', [{ messages: say, max_tokens: 0 }]);

/** Null in common places for which nothing is stated. */
export const chatNullsScenario = scenario({
  name: 'chat.nulls',
  operations: ['createChatCompletion'],
  roles: ['chat'],
  run: async (context) => {
    const body = { model: context.model('chat'), max_tokens: 4 };
    for (const field of ['logit_bias', 'response_format', 'tools'])
      await context.call('createChatCompletion', { body: { ...body, messages: say, [field]: null } });
    const messages = [weatherTool, { role: 'assistant', content: null }, userMessage('Say assay.')];
    await context.call('createChatCompletion', { body: { ...body, messages } });
  },
});

/** A scenario that requests a non-streamed reply, and then a stream of the same request. */
function chat(topic: string, requests: readonly ChatFields[], role: ModelRole = 'chat'): Scenario {
  return scenario({
    name: `chat.${topic}`,
    operations: ['createChatCompletion'],
    roles: [role],
    run: (context) => bothWays(context, role, requests),
  });
}

/** Number of repetitions that reveal occasional behaviour of a model. */
const SAMPLES = 6;

/** Settings that a service may apply in only some replies of a sampling model. */
const SAMPLED = ['stop', 'response_format', 'tool_choice'];

/** Asks until two texts are equal, which shows that the service does not sample; function calls are always equal. */
async function repeatUntilEqual(context: ScenarioContext, body: ChatFields): Promise<void> {
  const texts = new Set<Json>();
  const most = SAMPLED.some((name) => name in body) ? SAMPLES : 1;
  for (let n = 0; n < most; n++) {
    const { ok, json } = await context.call('createChatCompletion', { body });
    const text = valueAt(json, '/choices/0/message/content') || null;
    if (!ok || (text !== null && texts.has(text))) return;
    texts.add(text);
  }
}

async function bothWays(
  context: ScenarioContext,
  role: ModelRole,
  requests: readonly ChatFields[],
): Promise<void> {
  for (const fields of requests) {
    const body = { model: context.model(role), temperature: 0, seed: 7, ...fields };
    await repeatUntilEqual(context, body);
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
    // A sampling model may call in one stream and answer in words in another.
    const most = 'tool_choice' in body ? SAMPLES : 1;
    for (let n = 0; n < most; n++) {
      const { ok } = await context.call('createChatCompletion', { body: streamed });
      if (!ok) break;
    }
  }
}
