import {
  changeEvents,
  changeResponse,
  crashOnValid,
  type FaultyEvent,
  forceOtherFunction,
  ignoreField,
  rejectValid,
  replaceBody,
  setAtPointer,
  setInEvents,
  setInResponse,
} from '../deviations/changes.ts';
import type { Fault, FaultHooks } from '../deviations/hooks.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json } from '../http/json.ts';
import { EventStreamResponse } from '../http/response.ts';

const on = ['createChatCompletion'];

const replyFaults: readonly Fault[] = [
  {
    id: 'chat-id-missing',
    says: 'replies lack id and created',
    filed: 'mudler/LocalAI#1103',
    requirement: 'chat.completion:id#required',
    on,
    does: changeResponse((reply) => withoutFields(reply, ['id', 'created'])),
  },
  {
    id: 'chat-finish-reason-missing',
    says: 'choices of replies lack finish_reason',
    filed: 'mudler/LocalAI#788',
    requirement: 'chat.completion:choices[].finish_reason#required',
    on,
    does: setInResponse('/choices/*/finish_reason', () => undefined),
  },
  {
    id: 'chat-only-choices',
    says: 'replies consist of choices alone',
    filed: 'guardrails-ai/guardrails#1415',
    requirement: 'chat.completion:object#required',
    on,
    does: changeResponse((reply) => ({ choices: isJsonObject(reply) ? (reply['choices'] ?? []) : [] })),
  },
  {
    id: 'chat-usage-null',
    says: 'usage of replies is null',
    filed: 'openai/openai-python#1145',
    requirement: 'usage:#type',
    on,
    does: setInResponse('/usage', null),
  },
  {
    id: 'chat-labelled-as-completion',
    says: 'the object of replies is text_completion',
    filed: 'huggingface/text-generation-inference#1682',
    requirement: 'chat.completion:object#const',
    on,
    does: setInResponse('/object', 'text_completion'),
  },
  {
    id: 'chat-logprobs-of-completions',
    says: 'log probabilities have the form of those of text completions',
    filed: 'vllm-project/vllm#3179',
    requirement: 'chat.logprobs:content#required',
    on,
    does: setInResponse('/choices/*/logprobs', (logprobs) =>
      isJsonObject(logprobs)
        ? { text_offset: [0], token_logprobs: [-0.5], tokens: ['as'], top_logprobs: [{ as: -0.5 }] }
        : logprobs,
    ),
  },
  {
    id: 'chat-json-fenced',
    says: 'replies in JSON mode are in a Markdown code block',
    filed: 'Arthur-Ficial/apfel#101',
    requirement: 'chat.reply.json-mode-is-json',
    on,
    does: changeResponse((reply, { body }) =>
      isJsonObject(body['response_format'])
        ? setAtPointer(reply, '/choices/*/message/content', (text) => `\`\`\`json\n${text}\n\`\`\``)
        : reply,
    ),
  },
  {
    id: 'chat-calls-announced-none-made',
    says: 'replies with the finish_reason tool_calls have neither calls nor content',
    filed: 'vllm-project/vllm#53255',
    requirement: 'chat.reply.text-or-calls',
    on,
    does: setInResponse('/choices/*', (choice) =>
      isJsonObject(choice) && choice['finish_reason'] === 'tool_calls'
        ? setAtPointer(choice, '/message/tool_calls', [])
        : choice,
    ),
  },
  {
    id: 'chat-call-id-empty',
    says: 'the ids of function calls are empty',
    filed: 'lmstudio-ai/lmstudio-bug-tracker#830',
    requirement: 'chat.tools.call-ids-set',
    on,
    does: setInResponse('/choices/*/message/tool_calls/*/id', ''),
  },
  {
    id: 'chat-call-id-missing',
    says: 'function calls lack id',
    filed: 'ggml-org/llama.cpp#11992',
    requirement: 'chat.tool_call:id#required',
    on,
    does: setInResponse('/choices/*/message/tool_calls/*/id', () => undefined),
  },
  {
    id: 'chat-arguments-as-object',
    says: 'the arguments of function calls are an object instead of JSON text',
    filed: 'ggml-org/llama.cpp#20198',
    requirement: 'chat.tool_call:function.arguments#type',
    on,
    does: setInResponse('/choices/*/message/tool_calls/*/function/arguments', (text) =>
      typeof text === 'string' ? JSON.parse(text) : text,
    ),
  },
  {
    id: 'chat-role-empty',
    says: 'the role in deltas is empty',
    filed: 'MiniMax-AI/MiniMax-M2.5#2',
    requirement: 'chat.stream.role-told',
    on,
    does: setInEvents('', '/choices/*/delta/role', ''),
  },
  {
    id: 'chat-stop-ignored',
    says: 'ignores stop',
    filed: 'vllm-project/vllm#3572',
    requirement: 'chat.reply.nothing-after-stop',
    on,
    does: ignoreField('stop'),
  },
  {
    id: 'chat-n-ignored',
    says: 'ignores n: there is always one choice',
    filed: 'abetlen/llama-cpp-python#1906',
    requirement: 'chat.reply.choices-as-asked',
    on,
    does: ignoreField('n'),
  },
  {
    id: 'chat-forced-function-not-called',
    says: 'calls another function than the one that tool_choice names',
    filed: 'ggml-org/llama.cpp#28806',
    requirement: 'chat.tools.forced-function-called',
    on,
    does: forceOtherFunction(),
  },
  {
    id: 'chat-tool-choice-none-ignored',
    says: 'calls a function although tool_choice forbids it',
    filed: 'google-ai-edge/LiteRT-LM#2471',
    requirement: 'chat.tools.none-calls-none',
    on,
    does: replaceBody((body) =>
      body['tool_choice'] === 'none' ? { ...body, tool_choice: 'required' } : body,
    ),
  },
  {
    id: 'chat-done-missing',
    says: 'streams end without [DONE]',
    filed: 'perplexityai/api-discussion#209',
    requirement: 'chat.stream.done-ends-stream',
    on,
    does: changeEvents((events) => events.filter(({ data }) => data !== '[DONE]')),
  },
  {
    id: 'chat-stream-ids-differ',
    says: 'each chunk of a stream has a different id',
    filed: 'BerriAI/litellm#1571',
    requirement: 'chat.stream.same-id',
    on,
    does: changeEvents((events) =>
      events.map((event, i) => ({ ...event, data: setAtPointer(event.data, '/id', (id) => `${id}${i}`) })),
    ),
  },
  {
    id: 'chat-usage-unasked',
    says: 'streams contain usage that was not requested',
    filed: 'nguyenphutrong/quotio#460',
    requirement: 'chat.stream.usage-only-when-asked',
    on,
    does: replaceBody((body) =>
      body['stream'] === true ? { ...body, stream_options: { include_usage: true } } : body,
    ),
  },
];

/** A copy of an object without some of its fields. */
function withoutFields(value: Json, names: readonly string[]): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

const requestFaults: readonly Fault[] = [
  {
    id: 'chat-null-temperature-refused',
    says: 'rejects null as temperature',
    filed: 'ggml-org/llama.cpp#25515',
    requirement: 'createChatCompletion:body.temperature#type.accepted',
    on,
    does: rejectValid('temperature', (value) => value === null),
  },
  {
    id: 'chat-null-seed-crashes',
    says: 'answers 500 if seed is null',
    filed: 'LostRuins/koboldcpp#1503',
    requirement: 'createChatCompletion:body.seed#type.accepted',
    on,
    does: crashOnValid('seed', (value) => value === null),
  },
  {
    id: 'chat-null-max-tokens-crashes',
    says: 'answers 500 if max_tokens is null',
    filed: 'getumbrel/llama-gpt#113',
    requirement: 'createChatCompletion:body.max_tokens#type.accepted',
    on,
    does: crashOnValid('max_tokens', (value) => value === null),
  },
  {
    id: 'chat-parts-refused',
    says: 'rejects messages whose content is a list of parts',
    filed: 'lemonade-sdk/lemonade#629',
    requirement: 'createChatCompletion:body.messages[].content#type.accepted',
    on,
    does: rejectValid(
      'messages',
      someContent((content) => Array.isArray(content)),
    ),
  },
  {
    id: 'chat-parts-crash',
    says: 'answers 500 if the content of a message is a list of parts',
    filed: 'infiniflow/ragflow#15359',
    requirement: 'createChatCompletion:body.messages[].content#type.accepted',
    on,
    does: crashOnValid(
      'messages',
      someContent((content) => Array.isArray(content)),
    ),
  },
  {
    id: 'chat-json-mode-refused',
    says: 'rejects the response_format json_object',
    filed: 'lmstudio-ai/lmstudio-bug-tracker#189',
    requirement: 'createChatCompletion:body.response_format#type.accepted',
    on,
    does: rejectValid('response_format', (format) => isJsonObject(format)),
  },
  {
    id: 'chat-logprobs-alone-refused',
    says: 'rejects logprobs without top_logprobs',
    filed: 'vllm-project/vllm#4795',
    requirement: 'createChatCompletion:body.logprobs#type.accepted',
    on,
    does: {
      handle: (request, proceed) => {
        const { logprobs, top_logprobs: top } = request.body;
        if (logprobs !== true || typeof top === 'number') return proceed(request);
        throw ApiError.invalid('top_logprobs', "'logprobs' needs 'top_logprobs'.");
      },
    },
  },
];

/** True for messages of which one has such a content. */
function someContent(isSuch: (content: Json | undefined) => boolean): (messages: Json) => boolean {
  return (messages) =>
    Array.isArray(messages) && messages.some((one: Json) => isJsonObject(one) && isSuch(one['content']));
}

const failure = { error: { message: 'The engine is out of memory.', type: 'server_error', code: 500 } };
const counts = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

const streamFaults: readonly Fault[] = [
  {
    id: 'chat-error-ends-stream',
    says: 'streams end with an error object as data, without finish_reason and [DONE]',
    filed: 'BerriAI/litellm#39748',
    requirement: 'chat.stream.done-ends-stream',
    on,
    does: changeEvents((events) => [...firstHalf(events), { event: '', data: failure }]),
  },
  {
    id: 'chat-cut-stream-is-done',
    says: 'streams stop in the middle of the reply and end with [DONE]',
    filed: 'bigduu/Bamboo-agent#355',
    requirement: 'chat.stream.last-tells-finish-reason',
    on,
    does: changeEvents((events) => [...firstHalf(events), { event: '', data: '[DONE]' }]),
  },
  {
    id: 'chat-finish-reason-null-on-calls',
    says: 'streams of requests with tools never have a finish_reason',
    filed: 'earendil-works/pi#6225',
    requirement: 'chat.stream.last-tells-finish-reason',
    on,
    does: changeEvents((events, { body }) =>
      body['tools'] === undefined
        ? events
        : inChunks(events, (chunk) => setAtPointer(chunk, '/choices/*/finish_reason', null)),
    ),
  },
  {
    id: 'chat-finish-reason-left-out',
    says: 'chunks before the last one of a choice lack finish_reason',
    filed: 'vllm-project/vllm#19662',
    requirement: 'chat.completion.chunk:choices[].finish_reason#expected',
    on,
    does: setInEvents('', '/choices/*/finish_reason', (reason) => reason ?? undefined),
  },
  {
    id: 'chat-index-counts-chunks',
    says: 'the index of a choice in a stream is the number of the chunk',
    filed: 'microsoft/foundry-local#144',
    requirement: 'chat.pair.same-choices',
    on,
    does: changeEvents((events) =>
      inChunks(events, (chunk, i) => setAtPointer(chunk, '/choices/*/index', i)),
    ),
  },
  {
    id: 'chat-id-of-each-choice',
    says: 'each choice of a stream has chunks with a different id',
    filed: 'sgl-project/sglang#39864',
    requirement: 'chat.stream.same-id',
    on,
    does: changeEvents((events) =>
      inChunks(events, (chunk) => setAtPointer(chunk, '/id', (id) => `${id}-${choiceOf(chunk)}`)),
    ),
  },
  {
    id: 'chat-created-moves',
    says: 'created of each chunk is the time at which the chunk is sent',
    filed: 'ollama/ollama#15088',
    requirement: 'chat.stream.same-created',
    on,
    does: changeEvents((events) =>
      inChunks(events, (chunk, i) => setAtPointer(chunk, '/created', (time) => Number(time) + i)),
    ),
  },
  {
    id: 'chat-created-missing-in-chunks',
    says: 'chunks lack created',
    filed: '0xzr/freellmpool#92',
    requirement: 'chat.completion.chunk:created#required',
    on,
    does: setInEvents('', '/created', () => undefined),
  },
  {
    id: 'chat-role-missing-in-chunks',
    says: 'no delta of a stream has a role',
    filed: 'open-webui/open-webui#23930',
    requirement: 'chat.stream.role-told',
    on,
    does: setInEvents('', '/choices/*/delta/role', () => undefined),
  },
  {
    id: 'chat-delta-missing-in-last-chunk',
    says: 'the last chunk of a choice lacks delta',
    filed: 'openai/openai-python#1677',
    requirement: 'chat.completion.chunk:choices[].delta#required',
    on,
    does: changeEvents((events) =>
      inChunks(events, (chunk) =>
        isFinal(chunk) ? setAtPointer(chunk, '/choices/*/delta', () => undefined) : chunk,
      ),
    ),
  },
  {
    id: 'chat-first-chunk-blank',
    says: 'streams begin with a chunk without choices whose id, object and model are empty',
    filed: 'microsoft/semantic-kernel#3650',
    requirement: 'chat.completion.chunk:object#const',
    on,
    does: changeEvents((events) => [
      {
        event: '',
        data: {
          id: '',
          object: '',
          created: 0,
          model: '',
          system_fingerprint: '',
          choices: [],
          prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
        },
      },
      ...events,
    ]),
  },
  {
    id: 'chat-usage-in-every-chunk',
    says: 'every chunk has usage if include_usage is true',
    filed: 'vllm-project/vllm#7262',
    requirement: 'chat.stream.usage-once',
    on,
    does: changeEvents((events, { body }) =>
      isJsonObject(body['stream_options'])
        ? inChunks(events, (chunk) => setAtPointer(chunk, '/usage', counts))
        : events,
    ),
  },
  {
    id: 'chat-usage-beside-finish-reason',
    says: 'the chunk with the finish_reason has usage that was not requested',
    filed: 'raullenchai/Rapid-MLX#792',
    requirement: 'chat.stream.usage-only-when-asked',
    on,
    does: changeEvents((events, { body }) =>
      inChunks(events, (chunk) =>
        isFinal(chunk) && body['stream_options'] === undefined
          ? setAtPointer(chunk, '/usage', counts)
          : chunk,
      ),
    ),
  },
  {
    id: 'chat-usage-without-completion-tokens',
    says: 'usage in streams lacks completion_tokens',
    filed: 'vercel/ai#2763',
    requirement: 'usage:completion_tokens#required',
    on,
    does: setInEvents('', '/usage/completion_tokens', () => undefined),
  },
];

/** The chunks of the first half of a stream, without its end. */
function firstHalf(events: readonly FaultyEvent[]): readonly FaultyEvent[] {
  return events.slice(0, Math.floor(events.length / 2));
}

/** Changes the data of every chunk; `i` counts them. */
function inChunks(
  events: readonly FaultyEvent[],
  change: (chunk: Json, i: number) => Json,
): readonly FaultyEvent[] {
  return events.map((event, i) =>
    isJsonObject(event.data) ? { ...event, data: change(event.data, i) } : event,
  );
}

/** The first choice of a chunk; null for a chunk without choices. */
function firstChoice(chunk: Json): Json {
  const choices = isJsonObject(chunk) ? chunk['choices'] : undefined;
  return Array.isArray(choices) ? (choices[0] ?? null) : null;
}

/** The index of the choice of a chunk, 0 for a chunk without choices. */
function choiceOf(chunk: Json): number {
  const choice = firstChoice(chunk);
  return isJsonObject(choice) ? Number(choice['index']) : 0;
}

/** True for the chunk that ends a choice. */
function isFinal(chunk: Json): boolean {
  const choice = firstChoice(chunk);
  return isJsonObject(choice) && typeof choice['finish_reason'] === 'string';
}

const framingFaults: readonly Fault[] = [
  {
    id: 'chat-refused-stream-is-200',
    says: 'rejected requests for a stream are answered 200, with the error as the only event',
    filed: 'ggml-org/llama.cpp#14566',
    requirement: 'chat.stream.refused-by-status',
    on,
    does: refuseInStream(),
  },
  {
    id: 'completions-refused-stream-is-200',
    says: 'rejected requests for a stream are answered 200, with the error as the only event',
    filed: 'BerriAI/litellm#2180',
    requirement: 'completions.stream.refused-by-status',
    on: ['createCompletion'],
    does: refuseInStream(),
  },
  {
    id: 'chat-data-prefix-twice',
    says: 'the data of each event begins with a second "data: "',
    filed: 'paiml/aprender#2015',
    requirement: 'createChatCompletion:stream#json',
    on,
    does: changeEvents((events) => events.map((event) => withText(event, `data: ${textOf(event)}`))),
  },
  {
    id: 'chat-chunk-cut-off',
    says: 'the second chunk of a stream is cut off and continued by the next event on the same line',
    filed: 'anomalyco/opencode#25858',
    requirement: 'createChatCompletion:stream#json',
    on,
    does: changeEvents((events) => {
      const [first, second, third, ...rest] = events;
      if (first === undefined || second === undefined || third === undefined) return events;
      const text = textOf(second);
      const joined = `${text.slice(0, Math.floor(text.length / 2))}data: ${textOf(third)}`;
      return [first, withText(second, joined), ...rest];
    }),
  },
  {
    id: 'chat-comment-as-data',
    says: 'keep-alive comments are sent as the data of an event',
    filed: 'mnfst/llm-gateway#2053',
    requirement: 'createChatCompletion:stream#json',
    on,
    does: changeEvents((events) => [{ event: '', data: ': OPENROUTER PROCESSING' }, ...events]),
  },
  {
    id: 'chat-data-over-lines',
    says: 'chunks are split over several data lines',
    filed: 'SamSaffron/term-llm#454',
    requirement: 'chat.stream.one-data-line',
    on,
    does: changeEvents((events) =>
      events.map((event) =>
        isJsonObject(event.data)
          ? withText(event, JSON.stringify(event.data, null, 1).replaceAll('\n', '\ndata: '))
          : event,
      ),
    ),
  },
];

/** Answers refused requests for a stream with a stream of one event, the error. */
function refuseInStream(): FaultHooks {
  return {
    forgive: (apiError, { body }) =>
      isJsonObject(body) && body['stream'] === true
        ? new EventStreamResponse([{ data: apiError.envelope() }])
        : null,
  };
}

/** The data of an event as it would be sent. */
function textOf({ data }: FaultyEvent): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}

function withText(event: FaultyEvent, data: string): FaultyEvent {
  return { ...event, data };
}

export const faults: readonly Fault[] = [...replyFaults, ...requestFaults, ...streamFaults, ...framingFaults];
