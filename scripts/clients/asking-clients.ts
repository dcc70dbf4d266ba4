import { createOpenAI } from '@ai-sdk/openai';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText, type ToolChoice, type ToolSet, tool } from 'ai';
import { ChatOpenAI as ChatOpenAI02 } from 'langchain-v0.2';
import OpenAI4 from 'openai';
import OpenAI7 from 'openai-latest';
import { z } from 'zod';
import type { Json } from '../../schemas/json.ts';
import type { Answer, AskingClient, Question } from './broken-answers.ts';
import { nameWithVersion } from './clients.ts';

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const; // as: literal types

const MODEL = 'chat-large';
const OPTIONS = { apiKey: 'key', maxRetries: 0 };

export const ASKING_CLIENTS: readonly AskingClient[] = [
  {
    name: nameWithVersion('openai', 'openai'),
    ask: (question, baseURL) => askOpenAI(new OpenAI4({ baseURL, ...OPTIONS }), question, false),
  },
  {
    name: nameWithVersion('openai-latest', 'openai'),
    ask: (question, baseURL) => {
      const client = new OpenAI7({ baseURL, ...OPTIONS });
      return askOpenAI(client as unknown as OpenAI4, question, true); // as: the methods called there are the same
    },
  },
  { name: 'ai', ask: onlyForPlainChats(askAi) },
  {
    name: '@langchain/openai',
    ask: onlyForPlainChats((question, baseURL) => askLangchain(ChatOpenAI, question, baseURL)),
  },
  {
    name: nameWithVersion('langchain-v0.2', '@langchain/openai'),
    ask: onlyForPlainChats((question, baseURL) =>
      // as: both versions have the methods that are called
      askLangchain(ChatOpenAI02 as unknown as typeof ChatOpenAI, question, baseURL),
    ),
  },
];

function onlyForPlainChats(
  ask: (question: Question, baseURL: string) => Promise<Answer>,
): AskingClient['ask'] {
  return async (question, baseURL) =>
    question.kind === 'chat' && question.result === undefined ? ask(question, baseURL) : null;
}

function createRequest({ prompt, functions, choice, result }: Question) {
  return {
    model: MODEL,
    messages: [
      { role: 'user' as const, content: prompt }, // as: a literal type
      ...(result === undefined ? [] : createCallMessages(result)),
    ],
    ...(functions !== undefined && { tools: functions.map(createTool) }),
    ...(choice !== undefined && {
      tool_choice:
        choice === 'required'
          ? ('required' as const) // as: a literal type
          : { type: 'function' as const, function: { name: choice } }, // as: a literal type
    }),
  };
}

function createTool(name: string) {
  return { type: 'function' as const, function: { name, parameters: PARAMETERS } }; // as: a literal type
}

function createCallMessages(result: string) {
  const call = {
    id: 'call_1',
    type: 'function' as const, // as: a literal type
    function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
  };
  return [
    { role: 'assistant' as const, content: '', tool_calls: [call] }, // as: a literal type
    { role: 'tool' as const, content: result, tool_call_id: call.id }, // as: a literal type
  ];
}

/** `isLatest`: the stream helper for chats is not in `beta`, and the one for runs joins deltas of steps. */
async function askOpenAI(client: OpenAI4, question: Question, isLatest: boolean): Promise<Answer | null> {
  if (question.kind === 'text') {
    const body = { model: 'text-base', prompt: question.prompt, max_tokens: 16 };
    const { choices, usage } = await client.completions.create(body);
    return { text: choices[0]?.text ?? '', calls: [], total: usage?.total_tokens ?? null };
  }
  if (question.kind === 'file') {
    const file = new File(['text'], question.prompt);
    const { filename } = await client.files.create({ purpose: 'assistants', file });
    return { text: filename, calls: [], total: null };
  }
  if (question.kind === 'run') return askRun(client, question, isLatest);
  const request = createRequest(question);
  if (!question.isStreamed) return readAnswer(await client.chat.completions.create(request));
  const options = { stream: true, stream_options: { include_usage: true } } as const; // as: literal types
  // as: the method is the same
  const { completions } = isLatest ? (client.chat as unknown as OpenAI4['beta']['chat']) : client.beta.chat;
  return readAnswer(await completions.stream({ ...request, ...options }).finalChatCompletion());
}

/**
 * Asks through the stream helper for runs: the answer has the text, the calls that the run waits for and, unless the
 * client is openai 4, which does not join their deltas, those of its steps.
 */
async function askRun(client: OpenAI4, question: Question, joinsSteps: boolean): Promise<Answer> {
  const { prompt, functions = [] } = question;
  const tools = functions.map(createTool);
  const assistant = await client.beta.assistants.create({ model: MODEL, tools });
  const thread = { messages: [{ role: 'user' as const, content: prompt }] }; // as: a literal type
  const stream = client.beta.threads.createAndRunStream({ assistant_id: assistant.id, thread });
  let text = '';
  stream.on('textDelta', ({ value = '' }) => {
    text += value;
  });
  const run = await stream.finalRun();
  const steps = joinsSteps ? await stream.finalRunSteps() : [];
  const stepCalls = steps.flatMap(({ step_details: details }) =>
    details.type === 'tool_calls' ? details.tool_calls : [],
  );
  return {
    text,
    calls: [...(run.required_action?.submit_tool_outputs.tool_calls ?? []), ...stepCalls].map((call) => ({
      id: call.id,
      name: call.type === 'function' ? call.function.name : null,
      // as: what JSON.parse returns
      arguments: (call.type === 'function' ? JSON.parse(call.function.arguments) : null) as Json,
    })),
    total: run.usage?.total_tokens ?? null,
  };
}

/** Reads an answer defensively, because a broken one may lack fields that its type promises. */
function readAnswer({ choices: [choice], usage }: OpenAI4.ChatCompletion): Answer {
  return {
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function?.name ?? null,
      // Callers parse the arguments before they use them.
      arguments: JSON.parse(call.function?.arguments ?? 'null') as Json, // as: what JSON.parse returns
    })),
    total: isUsage(usage) ? usage.total_tokens : null,
  };
}

async function askAi(
  { prompt, isStreamed, functions = [], choice }: Question,
  baseURL: string,
): Promise<Answer> {
  const toolSet: ToolSet = Object.fromEntries(
    functions.map((name) => [
      name,
      tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'sunny' }),
    ]),
  );
  const toolChoice = convertToolChoice(choice);
  const options = {
    model: createOpenAI({ baseURL, apiKey: 'key' }).chat(MODEL),
    prompt,
    maxRetries: 0,
    ...(functions.length > 0 && { tools: toolSet }),
    ...(toolChoice !== undefined && { toolChoice }),
  };
  const errors: unknown[] = [];
  const result = isStreamed
    ? streamText({ ...options, onError: ({ error }) => void errors.push(error) })
    : await generateText(options);
  const [text, calls, results, usage] = await Promise.all([
    result.text,
    result.toolCalls,
    result.toolResults,
    result.totalUsage,
  ]);
  const [error] = errors;
  if (error !== undefined) throw error;
  return {
    text,
    calls: calls.map((call) => ({
      id: call.toolCallId,
      name: call.toolName,
      // as: parsed from JSON; a call that does not fit the parameters is not executed
      arguments: (call.dynamic === true && call.invalid === true
        ? { invalid: call.input }
        : call.input) as Json,
    })),
    executed: results.length,
    total: usage.totalTokens ?? null,
  };
}

function convertToolChoice(choice: string | undefined): ToolChoice<ToolSet> | undefined {
  if (choice === undefined || choice === 'required') return choice;
  return { type: 'tool', toolName: choice };
}

async function askLangchain(Model: typeof ChatOpenAI, question: Question, baseURL: string): Promise<Answer> {
  const { tools = [], tool_choice } = createRequest(question);
  const chat = new Model({
    apiKey: 'key',
    model: MODEL,
    maxRetries: 0,
    streamUsage: true,
    configuration: { baseURL },
  });
  const bound =
    tools.length === 0 ? chat : chat.bindTools(tools, tool_choice === undefined ? {} : { tool_choice });
  let message: Awaited<ReturnType<typeof bound.invoke>> | undefined;
  if (question.isStreamed) {
    for await (const chunk of await bound.stream(question.prompt))
      message = message === undefined ? chunk : concat(message, chunk);
  } else message = await bound.invoke(question.prompt);
  const usage: unknown = message?.usage_metadata;
  const calls = [...(message?.tool_calls ?? []), ...(message?.invalid_tool_calls ?? [])];
  return {
    text: message?.text ?? '',
    calls: calls.map(({ id, name, args }) => ({
      id: id ?? null,
      name: name ?? null,
      arguments: (args ?? null) as Json, // as: parsed from JSON
    })),
    total: isUsage(usage) ? usage.total_tokens : null,
  };
}

function isUsage(value: unknown): value is { readonly total_tokens: number } {
  return typeof value === 'object' && value !== null && 'total_tokens' in value;
}
