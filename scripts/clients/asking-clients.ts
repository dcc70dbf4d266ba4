// The clients that answer questions for the evidence on broken answers, each through the calls that its documentation shows first.
import { createOpenAI } from '@ai-sdk/openai';
import { AIMessageChunk } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import OpenAI4 from 'openai';
import OpenAI7 from 'openai-latest';
import type { Json } from '../../schemas/json.ts';
import type { Answer, AskingClient, Question } from './broken-answers.ts';

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const; // as: literal types

const MODEL = 'chat-large';

export const ASKING_CLIENTS: readonly AskingClient[] = [
  { name: 'openai 4.47.1', ask: (question, baseURL) => askOpenAI4(question, baseURL) },
  { name: 'openai 7.57.0', ask: (question, baseURL) => askOpenAI7(question, baseURL) },
  { name: 'ai', ask: (question, baseURL) => askAi(question, baseURL) },
  { name: '@langchain/openai', ask: (question, baseURL) => askLangchain(question, baseURL) },
];

function requestOf({ prompt, functions, choice, n }: Question) {
  return {
    model: MODEL,
    messages: [{ role: 'user' as const, content: prompt }], // as: a literal type
    ...(n !== undefined && { n }),
    ...(functions !== undefined && {
      tools: functions.map((name) => ({
        type: 'function' as const, // as: a literal type
        function: { name, parameters: PARAMETERS },
      })),
    }),
    ...(choice !== undefined && {
      tool_choice:
        choice === 'required'
          ? ('required' as const) // as: a literal type
          : { type: 'function' as const, function: { name: choice } }, // as: a literal type
    }),
  };
}

async function askOpenAI4(question: Question, baseURL: string): Promise<Answer> {
  const client = new OpenAI4({ baseURL, apiKey: 'key', maxRetries: 0 });
  const request = requestOf(question);
  if (!question.streamed) return answerOf(await client.chat.completions.create(request));
  const options = { stream: true, stream_options: { include_usage: true } } as const; // as: literal types
  return answerOf(
    await client.beta.chat.completions.stream({ ...request, ...options }).finalChatCompletion(),
  );
}

async function askOpenAI7(question: Question, baseURL: string): Promise<Answer> {
  const client = new OpenAI7({ baseURL, apiKey: 'key', maxRetries: 0 });
  const request = requestOf(question);
  if (!question.streamed) return answerOf(await client.chat.completions.create(request));
  const options = { stream: true, stream_options: { include_usage: true } } as const; // as: literal types
  return answerOf(await client.chat.completions.stream({ ...request, ...options }).finalChatCompletion());
}

/** A completion as the libraries return it. */
interface Completion {
  readonly choices: readonly {
    readonly message: {
      readonly content?: string | null;
      readonly tool_calls?:
        | readonly {
            readonly id: string;
            readonly type: string;
            readonly function?: { readonly name: string; readonly arguments: string };
          }[]
        | undefined;
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly total_tokens: number } | null | undefined;
}

function answerOf({ choices, usage }: Completion): Answer {
  const [choice] = choices;
  return {
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function?.name ?? null,
      // Callers parse the arguments before they use them.
      arguments: JSON.parse(call.function?.arguments ?? 'null') as Json, // as: what JSON.parse returns
    })),
    finish: choice?.finish_reason ?? null,
    total: usage?.total_tokens ?? null,
  };
}

async function askAi(
  { prompt, streamed, functions = [], choice }: Question,
  baseURL: string,
): Promise<Answer> {
  const model = createOpenAI({ baseURL, apiKey: 'key' }).chat(MODEL);
  const tools = Object.fromEntries(
    functions.map((name) => [name, tool({ inputSchema: jsonSchema(PARAMETERS) })]),
  );
  const options = {
    model,
    prompt,
    maxRetries: 0,
    ...(functions.length > 0 && { tools }),
    ...(choice === 'required' && { toolChoice: 'required' as const }), // as: a literal type
    ...(choice !== undefined &&
      choice !== 'required' && { toolChoice: { type: 'tool' as const, toolName: choice } }), // as: a literal type
  };
  const errors: unknown[] = [];
  const result = streamed
    ? streamText({ ...options, onError: ({ error }) => void errors.push(error) })
    : await generateText(options);
  const [text, calls, finish, usage] = await Promise.all([
    result.text,
    result.toolCalls,
    result.finishReason,
    result.totalUsage,
  ]);
  const [error] = errors;
  if (error !== undefined) throw error;
  return {
    text,
    calls: calls.map(({ toolCallId, toolName, input, ...rest }) => ({
      id: toolCallId,
      name: toolName,
      arguments: ('invalid' in rest && rest.invalid === true ? { invalid: input } : input) as Json, // as: parsed from JSON
    })),
    finish,
    total: usage.totalTokens ?? null,
  };
}

async function askLangchain(question: Question, baseURL: string): Promise<Answer> {
  const { tools = [], tool_choice } = requestOf(question);
  const chat = new ChatOpenAI({
    apiKey: 'key',
    model: MODEL,
    maxRetries: 0,
    streamUsage: true,
    configuration: { baseURL },
  });
  const bound =
    tools.length === 0 ? chat : chat.bindTools(tools, tool_choice === undefined ? {} : { tool_choice });
  let message: AIMessageChunk | undefined;
  if (question.streamed) {
    for await (const chunk of await bound.stream(question.prompt)) {
      const piece = new AIMessageChunk(chunk);
      message = message === undefined ? piece : concat(message, piece);
    }
  }
  const found = message ?? (await bound.invoke(question.prompt));
  return {
    text: found.text,
    calls: [...(found.tool_calls ?? []), ...(found.invalid_tool_calls ?? [])].map(({ id, name, args }) => ({
      id: id ?? null,
      name: name ?? null,
      arguments: (args ?? null) as Json, // as: parsed from JSON
    })),
    finish: (found.response_metadata['finish_reason'] ?? null) as Json, // as: the text of the service
    total: found.usage_metadata?.total_tokens ?? null,
  };
}
