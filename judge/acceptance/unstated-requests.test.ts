import { expect, test } from 'vitest';
import type { HeaderPairs } from '../../exchange/http/headers.ts';
import type { Json, JsonObject } from '../../schemas/json.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

const V2 = { beta: 'assistants=v2' };

function chat(more: JsonObject, response = NO): CallSketch {
  const messages = [{ role: 'user', content: 'Count.' }];
  return ['createChatCompletion', { body: { model: 'm', messages, ...more } }, response];
}

function chatWithHeaders(headers: HeaderPairs): CallSketch {
  return ['createChatCompletion', { headers, body: { model: 'm', messages: createMessages('Count.') } }, NO];
}

function completion(more: JsonObject, response = NO): CallSketch {
  return ['createCompletion', { body: { model: 'm', prompt: 'x', ...more } }, response];
}

function createMessages(text: string, role = 'user'): readonly Json[] {
  return [{ role, content: text }];
}

function tool(name: string, parameters: Json = { type: 'object', properties: {} }): Json {
  return { type: 'function', function: { name, parameters } };
}

const forceFunction = (name: string) => ({ type: 'function', function: { name } });
const jsonMode = { response_format: { type: 'json_object' } };
const schemaOf = (property: Json) => ({ type: 'object', properties: { city: property } });

const EARLIER_CALLS: readonly CallSketch[] = [
  chat({}, OK),
  completion({}, OK),
  ['createThread', { ...V2, body: {} }, { json: { id: 'thread_1', object: 'thread' } }],
  [
    'createAssistant',
    { ...V2, body: { model: 'm' } },
    { json: { id: 'asst_1', object: 'assistant', tools: [tool('weather')] } },
  ],
  ...[[tool('weather')], []].map(
    (tools): CallSketch => [
      'createAssistant',
      { ...V2, body: { model: 'm' } },
      { json: { id: 'asst_2', object: 'assistant', tools } },
    ],
  ),
  ['createThreadAndRun', { ...V2, body: { assistant_id: 'asst_1' } }, OK],
  ...['', 'Write JSON.'].map(
    (instructions, i): CallSketch => [
      'createAssistant',
      { ...V2, body: { model: 'm' } },
      {
        json: {
          id: i === 0 ? 'asst_json' : 'asst_told',
          object: 'assistant',
          tools: [],
          instructions,
          ...jsonMode,
        },
      },
    ],
  ),
  [
    'listFiles',
    {},
    {
      json: {
        object: 'list',
        data: ['assistants', 'fine-tune'].map((purpose, i) => ({
          id: `file-${i + 1}`,
          object: 'file',
          purpose,
        })),
      },
    },
  ],
];

const INTERPRETER = { type: 'code_interpreter' };

function assistant(more: JsonObject): CallSketch {
  return ['createAssistant', { ...V2, body: { model: 'm', ...more } }, NO];
}

function run(more: JsonObject, assistant = 'asst_1'): CallSketch {
  return ['createThreadAndRun', { ...V2, body: { assistant_id: assistant, ...more } }, NO];
}

function verdictOf(...sent: readonly CallSketch[]) {
  const { refused, open } = evaluateAcceptance([...EARLIER_CALLS, ...sent]);
  return { refused: [...refused.values()].reduce((a, b) => a + b, 0), open };
}

test.for<readonly [string, CallSketch]>([
  ['JSON mode without an instruction', chat(jsonMode)],
  [
    'JSON mode that only a message of the model mentions',
    chat({ ...jsonMode, messages: createMessages('JSON?', 'assistant') }),
  ],
  ['JSON mode in a run without an instruction', run({ ...jsonMode, instructions: 'Count.' })],
  ['JSON mode in a run with another instruction', run({ ...jsonMode, instructions: 'Count.' }, 'asst_told')],
  [
    'JSON mode in a run that only a message of the model mentions',
    run({ ...jsonMode, thread: { messages: createMessages('JSON?', 'assistant') } }),
  ],
  ['JSON mode in a run of an unknown assistant', run(jsonMode, 'asst_unknown')],
  ['a forced function that is missing', chat({ tools: [tool('a')], tool_choice: forceFunction('b') })],
  ['a forced function without any tools', chat({ tool_choice: forceFunction('b') })],
  ['a required tool call without any tools', chat({ tool_choice: 'required' })],
  ['a forced function that the assistant lacks', run({ tool_choice: forceFunction('other') })],
  [
    'a forced function of an assistant that has changed',
    run({ tool_choice: forceFunction('weather') }, 'asst_2'),
  ],
  ['a required tool call if the run removes all tools', run({ tools: [], tool_choice: 'required' })],
  ['a type that JSON Schema does not have', chat({ tools: [tool('a', schemaOf({ type: 'strng' }))] })],
  ['parameters that are not an object', chat({ tools: [tool('a', { type: 'string' })] })],
  ['a schema with references', chat({ tools: [tool('a', schemaOf({ $ref: '#/$defs/city' }))] })],
  ['a schema that requires what it lacks', chat({ tools: [tool('a', { type: 'object', required: ['b'] })] })],
  ['an array without a schema for its items', chat({ tools: [tool('a', schemaOf({ type: 'array' }))] })],
  ['the same function twice', chat({ tools: [tool('a'), tool('a')] })],
  ['a function with blanks in its name', chat({ tools: [tool('get weather')] })],
  ['a token beyond a vocabulary', chat({ logit_bias: { 999999: 1 } })],
  ['a word in place of a token id', completion({ logit_bias: { hello: 1 } })],
  ['a prompt of tokens beyond a vocabulary', completion({ prompt: [[999999]] })],
  ['a prompt with a negative token id', completion({ prompt: [-1] })],
  ['zero choices', chat({ n: 0 })],
  ['a thousand choices', completion({ n: 1000 })],
  ['a limit of zero tokens', chat({ max_tokens: 0 })],
  ['a hundred top log probabilities', chat({ logprobs: true, top_logprobs: 100 })],
  ['a top_p above 1', chat({ top_p: 5 })],
  ['a seed beyond 64 bits', chat({ seed: 1e30 })],
  ['no messages', chat({ messages: [] })],
  ['a message without a role', chat({ messages: [{ content: 'x' }] })],
  ['an empty message', chat({ messages: createMessages('') })],
  ['an empty list of tools', chat({ tools: [] })],
  ['an empty stop sequence', chat({ stop: ['x', ''] })],
  ['an empty prompt', completion({ prompt: '' })],
  ['an empty list of texts to moderate', ['createModeration', { body: { input: [] } }, NO]],
  ['a blank message', chat({ messages: createMessages(' ') })],
  ['a part without text', chat({ messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] })],
  ['a stop sequence of white space', chat({ stop: '\n' })],
  ['a conversation without a message of the user', chat({ messages: createMessages('x', 'assistant') })],
  ['a tool choice without tools', chat({ tool_choice: 'auto' })],
  [
    'an enum of strings for an integer',
    chat({ tools: [tool('a', schemaOf({ type: 'integer', enum: ['x'] }))] }),
  ],
  ['an enum with an empty string', chat({ tools: [tool('a', schemaOf({ type: 'string', enum: [''] }))] })],
  [
    'a property without a name',
    chat({ tools: [tool('a', { type: 'object', properties: { '': { type: 'string' } } })] }),
  ],
  ['a NUL', chat({ messages: createMessages('a\u0000') })],
  ['a response type other than JSON', chatWithHeaders([['Accept', 'application/xml']])],
  ['a body with another media type', chatWithHeaders([['Content-Type', 'text/plain']])],
  ['a token id with leading zeros', chat({ logit_bias: { '007': 1 } })],
  ['JSON mode of an assistant without an instruction', run({}, 'asst_json')],
  ['JSON mode of an assistant whose instruction is replaced', run({ instructions: 'Count.' }, 'asst_told')],
  ['one kind of tool twice', assistant({ tools: [INTERPRETER, INTERPRETER] })],
  [
    'a training file in a tool',
    assistant({ tool_resources: { code_interpreter: { file_ids: ['file-2'] } } }),
  ],
])('a target may refuse %s', ([, sent]) => {
  expect(verdictOf(sent)).toEqual({ refused: 0, open: { unstated: 1 } });
});

test.for<readonly [string, CallSketch]>([
  ['JSON mode with an instruction', chat({ ...jsonMode, messages: createMessages('Write JSON.', 'system') })],
  [
    'JSON mode with an instruction in a part',
    chat({ ...jsonMode, messages: [{ role: 'user', content: [{ type: 'text', text: 'As json.' }] }] }),
  ],
  ['JSON mode in a run with an instruction', run({ ...jsonMode, instructions: 'Write JSON.' })],
  [
    'JSON mode in a run with an instruction in a message',
    run({ ...jsonMode, thread: { messages: createMessages('Write JSON.') } }),
  ],
  ['JSON mode in a run whose assistant has the instruction', run(jsonMode, 'asst_told')],
  ['a forced function', chat({ tools: [tool('a'), tool('b')], tool_choice: forceFunction('b') })],
  ['a required tool call', chat({ tools: [tool('a')], tool_choice: 'required' })],
  ['tool_choice none without tools', chat({ tool_choice: 'none' })],
  ['a forced function of the assistant', run({ tool_choice: forceFunction('weather') })],
  ['a forced function of the run', run({ tools: [tool('b')], tool_choice: forceFunction('b') }, 'asst_2')],
  [
    'a plain schema',
    chat({
      tools: [
        tool('a', { ...schemaOf({ type: 'string', enum: ['x'], description: 'd' }), required: ['city'] }),
      ],
    }),
  ],
  [
    'an array of a plain type',
    chat({ tools: [tool('a', schemaOf({ type: 'array', items: { type: 'integer' } }))] }),
  ],
  ['two functions', chat({ tools: [tool('get_weather'), tool('get-weather2')] })],
  ['a token id in every vocabulary', chat({ logit_bias: { 64: -100 } })],
  ['a prompt of token ids in every vocabulary', completion({ prompt: [40, 41] })],
  ['two choices', chat({ n: 2 })],
  ['a top_p of 0.5', chat({ top_p: 0.5 })],
  ['a seed', chat({ seed: 42 })],
  ['stop sequences', chat({ stop: ['x', 'y'] })],
  ['a conversation', chat({ messages: [...createMessages('x'), ...createMessages('y', 'assistant')] })],
  ['a tool choice among tools', chat({ tools: [tool('a')], tool_choice: 'auto' })],
  ['colons in a text', chat({ messages: createMessages('a: "b": c') })],
  ['a text with the escape of NUL', chat({ messages: createMessages('a\\u0000') })],
  ['any response type', chatWithHeaders([['Accept', '*/*']])],
  ['a token id without leading zeros', chat({ logit_bias: { 7: 1 } })],
  ['JSON mode of an assistant with an instruction', run({}, 'asst_told')],
  ['JSON mode of an assistant with an instruction of the run', run({ instructions: 'JSON.' }, 'asst_json')],
  ['one kind of tool', assistant({ tools: [INTERPRETER] })],
  ['a file for a tool', assistant({ tool_resources: { code_interpreter: { file_ids: ['file-1'] } } })],
])('a target may not refuse %s', ([, sent]) => {
  expect(verdictOf(sent)).toEqual({ refused: 1, open: {} });
});

test('a request that names a file twice may be refused', () => {
  const list = { json: { object: 'list', data: [{ id: 'file-1', object: 'file', purpose: 'assistants' }] } };
  const store = (ids: readonly string[]): CallSketch => [
    'createVectorStore',
    { ...V2, body: { file_ids: ids } },
    NO,
  ];
  const shown: CallSketch = ['listFiles', {}, list];
  expect(verdictOf(shown, store(['file-1', 'file-1']))).toEqual({ refused: 0, open: { unstated: 1 } });
  expect(verdictOf(shown, store(['file-1']))).toEqual({ refused: 1, open: {} });
});
