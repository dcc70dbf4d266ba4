// Faults that public reports describe, with their sources. Those that data can express are in filed.json.
import { createRequire } from 'node:module';
import type { JsonSchema } from '../../schemas/index.ts';
import {
  changeContent,
  changeEvents,
  changeResponse,
  cloneJson,
  type FaultyEvent,
  forceOtherFunction,
  ignoreField,
  ignoreQuery,
  replaceBody,
  setAtPointer,
  setInEvents,
  setInResponse,
} from '../deviations/changes.ts';
import type { Fault, FaultHooks } from '../deviations/hooks.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse } from '../http/response.ts';
import { matches } from '../http/validation.ts';

/** A fault as data: what it changes in requests or answers. Pointers are JSON pointers; `*` stands for every element. */
interface FaultRow extends Omit<Fault, 'does'> {
  /** Values by pointer, in JSON answers. */
  readonly set?: Readonly<Record<string, Json>>;
  readonly remove?: readonly string[];
  /** The same in the data of unnamed events. */
  readonly setInEvents?: Readonly<Record<string, Json>>;
  readonly removeInEvents?: readonly string[];
  /** Events with this text as data are not sent. */
  readonly withoutEvents?: readonly string[];
  /** Fields of the body that the handler does not see. */
  readonly ignore?: readonly string[];
  readonly ignoreQuery?: readonly string[];
  /** Values of fields that the request omits. */
  readonly defaults?: JsonObject;
  /** JSON Schema of the valid bodies that are answered 400. */
  readonly refuse?: JsonSchema;
  /** JSON Schema of the valid bodies that are answered 500. */
  readonly crash?: JsonSchema;
}

function hooksOf(row: FaultRow): FaultHooks {
  if (row.ignore !== undefined) return ignoreField(...row.ignore);
  if (row.ignoreQuery?.[0] !== undefined) return ignoreQuery(row.ignoreQuery[0]);
  if (row.defaults !== undefined) return replaceBody((body) => ({ ...row.defaults, ...body }));
  if (row.refuse !== undefined)
    return failOnValid(row.refuse, ApiError.invalid(null, 'This request is not accepted.'));
  if (row.crash !== undefined)
    return failOnValid(row.crash, new ApiError(500, 'Internal error.', { type: 'server_error' }));
  const { withoutEvents } = row;
  if (withoutEvents !== undefined)
    return changeEvents((events) => events.filter(({ data }) => !withoutEvents.includes(String(data))));
  if (row.setInEvents !== undefined || row.removeInEvents !== undefined) {
    const change = edited(row.setInEvents, row.removeInEvents);
    return changeEvents((events) =>
      events.map((event) => (event.event === '' ? { ...event, data: change(event.data) } : event)),
    );
  }
  return changeResponse(edited(row.set, row.remove));
}

function edited(
  set: Readonly<Record<string, Json>> = {},
  remove: readonly string[] = [],
): (value: Json) => Json {
  return (value) => {
    const removed = remove.reduce((rest, pointer) => setAtPointer(rest, pointer, () => undefined), value);
    return Object.entries(set).reduce(
      (rest, [pointer, other]) => setAtPointer(rest, pointer, other),
      removed,
    );
  };
}

function failOnValid(schema: JsonSchema, error: ApiError): FaultHooks {
  const isMeant = matches(schema);
  return {
    handle: (request, proceed) => {
      if (isMeant(request.body)) throw error;
      return proceed(request);
    },
  };
}

const CHAT = ['createChatCompletion'];
const COMPLETIONS = ['createCompletion'];

const inCode: readonly Fault[] = [
  {
    id: 'runs-deltas-renamed',
    says: 'streams call message deltas thread.message.chunk',
    filed: 'Azure/azure-rest-api-specs#28745',
    requirement: 'runs.stream.deltas-are-message',
    on: ['createRun', 'createThreadAndRun'],
    does: changeEvents((events) =>
      events.map((event) =>
        event.event === 'thread.message.delta' ? { ...event, event: 'thread.message.chunk' } : event,
      ),
    ),
  },
  {
    id: 'audio-captions-quoted',
    says: 'transcriptions in text formats are JSON strings, in quotation marks and with escapes',
    filed: 'Nyralei/whisperx-api-server#4',
    requirement: 'audio.transcription.vtt-is-webvtt',
    on: ['createTranscription'],
    does: quoted(),
  },
  {
    id: 'audio-segments-empty',
    says: 'segments of transcriptions are always empty',
    filed: 'speaches-ai/speaches#86',
    requirement: 'audio.verbose.segments-when-asked',
    on: ['createTranscription'],
    does: setInResponse('/segments', (segments) => (segments === undefined ? undefined : [])),
  },
  {
    id: 'audio-speech-in-json',
    says: 'speech is a JSON object with base64 text',
    filed: 'tenstorrent/tt-inference-server#1776',
    requirement: 'audio.speech.not-labelled-as-text',
    on: ['createSpeech'],
    does: { handle: () => ({ audio: 'UklGRiQAAABXQVZF', sample_rate: 24000 }) },
  },
  {
    id: 'chat-only-choices',
    says: 'replies consist of choices alone',
    filed: 'guardrails-ai/guardrails#1415',
    requirement: 'chat.completion:object#required',
    on: CHAT,
    does: changeResponse((reply) => ({ choices: isJsonObject(reply) ? (reply['choices'] ?? []) : [] })),
  },
  {
    id: 'chat-logprobs-of-completions',
    says: 'log probabilities have the form of those of text completions',
    filed: 'vllm-project/vllm#3179',
    requirement: 'chat.logprobs:content#required',
    on: CHAT,
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
    on: CHAT,
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
    on: CHAT,
    does: setInResponse('/choices/*', (choice) =>
      isJsonObject(choice) && choice['finish_reason'] === 'tool_calls'
        ? setAtPointer(choice, '/message/tool_calls', [])
        : choice,
    ),
  },
  {
    id: 'chat-arguments-as-object',
    says: 'the arguments of function calls are an object instead of JSON text',
    filed: 'ggml-org/llama.cpp#20198',
    requirement: 'chat.tool_call:function.arguments#type',
    on: CHAT,
    does: setInResponse('/choices/*/message/tool_calls/*/function/arguments', (text) =>
      typeof text === 'string' ? JSON.parse(text) : text,
    ),
  },
  {
    id: 'chat-forced-function-not-called',
    says: 'calls another function than the one that tool_choice names',
    filed: 'ggml-org/llama.cpp#28806',
    requirement: 'chat.tools.forced-function-called',
    on: CHAT,
    does: forceOtherFunction(),
  },
  {
    id: 'chat-tool-choice-none-ignored',
    says: 'calls a function although tool_choice forbids it',
    filed: 'google-ai-edge/LiteRT-LM#2471',
    requirement: 'chat.tools.none-calls-none',
    on: CHAT,
    does: replaceBody((body) =>
      body['tool_choice'] === 'none' ? { ...body, tool_choice: 'required' } : body,
    ),
  },
  {
    id: 'chat-stream-ids-differ',
    says: 'each chunk of a stream has a different id',
    filed: 'BerriAI/litellm#1571',
    requirement: 'chat.stream.same-id',
    on: CHAT,
    does: changeEvents((events) =>
      events.map((event, i) => ({ ...event, data: setAtPointer(event.data, '/id', (id) => `${id}${i}`) })),
    ),
  },
  {
    id: 'chat-usage-unasked',
    says: 'streams contain usage that was not requested',
    filed: 'nguyenphutrong/quotio#460',
    requirement: 'chat.stream.usage-only-when-asked',
    on: CHAT,
    does: replaceBody((body) =>
      body['stream'] === true ? { ...body, stream_options: { include_usage: true } } : body,
    ),
  },
  {
    id: 'chat-error-ends-stream',
    says: 'streams end with an error object as data, without finish_reason and [DONE]',
    filed: 'BerriAI/litellm#39748',
    requirement: 'chat.stream.done-ends-stream',
    on: CHAT,
    does: changeEvents((events) => [...firstHalf(events), { event: '', data: failure }]),
  },
  {
    id: 'chat-cut-stream-is-done',
    says: 'streams stop in the middle of the reply and end with [DONE]',
    filed: 'bigduu/Bamboo-agent#355',
    requirement: 'chat.stream.last-tells-finish-reason',
    on: CHAT,
    does: changeEvents((events) => [...firstHalf(events), { event: '', data: '[DONE]' }]),
  },
  {
    id: 'chat-finish-reason-null-on-calls',
    says: 'streams of requests with tools never have a finish_reason',
    filed: 'earendil-works/pi#6225',
    requirement: 'chat.stream.last-tells-finish-reason',
    on: CHAT,
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
    on: CHAT,
    does: setInEvents('', '/choices/*/finish_reason', (reason) => reason ?? undefined),
  },
  {
    id: 'chat-index-counts-chunks',
    says: 'the index of a choice in a stream is the number of the chunk',
    filed: 'microsoft/foundry-local#144',
    requirement: 'chat.pair.same-choices',
    on: CHAT,
    does: changeEvents((events) =>
      inChunks(events, (chunk, i) => setAtPointer(chunk, '/choices/*/index', i)),
    ),
  },
  {
    id: 'chat-id-of-each-choice',
    says: 'each choice of a stream has chunks with a different id',
    filed: 'sgl-project/sglang#39864',
    requirement: 'chat.stream.same-id',
    on: CHAT,
    does: changeEvents((events) =>
      inChunks(events, (chunk) => setAtPointer(chunk, '/id', (id) => `${id}-${choiceOf(chunk)}`)),
    ),
  },
  {
    id: 'chat-created-moves',
    says: 'created of each chunk is the time at which the chunk is sent',
    filed: 'ollama/ollama#15088',
    requirement: 'chat.stream.same-created',
    on: CHAT,
    does: changeEvents((events) =>
      inChunks(events, (chunk, i) => setAtPointer(chunk, '/created', (time) => Number(time) + i)),
    ),
  },
  {
    id: 'chat-delta-missing-in-last-chunk',
    says: 'the last chunk of a choice lacks delta',
    filed: 'openai/openai-python#1677',
    requirement: 'chat.completion.chunk:choices[].delta#required',
    on: CHAT,
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
    on: CHAT,
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
    on: CHAT,
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
    on: CHAT,
    does: changeEvents((events, { body }) =>
      inChunks(events, (chunk) =>
        isFinal(chunk) && body['stream_options'] === undefined
          ? setAtPointer(chunk, '/usage', counts)
          : chunk,
      ),
    ),
  },
  {
    id: 'chat-refused-stream-is-200',
    says: 'rejected requests for a stream are answered 200, with the error as the only event',
    filed: 'ggml-org/llama.cpp#14566',
    requirement: 'chat.stream.refused-by-status',
    on: CHAT,
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
    on: CHAT,
    does: changeEvents((events) => events.map((event) => withText(event, `data: ${textOf(event)}`))),
  },
  {
    id: 'chat-chunk-cut-off',
    says: 'the second chunk of a stream is cut off and continued by the next event on the same line',
    filed: 'anomalyco/opencode#25858',
    requirement: 'createChatCompletion:stream#json',
    on: CHAT,
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
    on: CHAT,
    does: changeEvents((events) => [{ event: '', data: ': OPENROUTER PROCESSING' }, ...events]),
  },
  {
    id: 'chat-data-over-lines',
    says: 'chunks are split over several data lines',
    filed: 'SamSaffron/term-llm#454',
    requirement: 'chat.stream.one-data-line',
    on: CHAT,
    does: changeEvents((events) =>
      events.map((event) =>
        isJsonObject(event.data)
          ? withText(event, JSON.stringify(event.data, null, 1).replaceAll('\n', '\ndata: '))
          : event,
      ),
    ),
  },
  {
    id: 'completions-created-as-text',
    says: 'created of completions is an ISO 8601 text',
    filed: 'tensorchord/modelz-llm#83',
    requirement: 'text_completion:created#type',
    on: COMPLETIONS,
    does: setInResponse('/created', (time) => new Date(Number(time) * 1000).toISOString()),
  },
  {
    id: 'completions-in-messages',
    says: 'choices of completions have a message instead of a text',
    filed: 'acon96/home-llm#26',
    requirement: 'text_completion:choices[].text#required',
    on: COMPLETIONS,
    does: setInResponse('/choices/*', (choice) =>
      isJsonObject(choice)
        ? {
            index: choice['index'] ?? 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: choice['text'] ?? null },
          }
        : choice,
    ),
  },
  {
    id: 'completions-stop-kept',
    says: 'texts that a stop sequence ends contain it',
    filed: 'vllm-project/vllm#57052',
    requirement: 'completions.text.stop-left-out',
    on: COMPLETIONS,
    does: changeResponse((answer, { body }) => {
      const stop = Array.isArray(body['stop']) ? body['stop'][0] : body['stop'];
      return typeof stop === 'string'
        ? setAtPointer(answer, '/choices/*/text', (text) => `${text}${stop}`)
        : answer;
    }),
  },
  {
    id: 'completions-logprobs-of-first-prompt',
    says: 'of several prompts only the first gets log probabilities',
    filed: 'PaddlePaddle/FastDeploy#3618',
    requirement: 'completions.text.logprobs-when-asked',
    on: COMPLETIONS,
    does: setInResponse('/choices/*', (choice) =>
      isJsonObject(choice) && choice['index'] !== 0 ? { ...choice, logprobs: null } : choice,
    ),
  },
  {
    id: 'completions-stream-error-last',
    says: 'streams end with an error object as data, without [DONE]',
    filed: 'open-octo/octo-agent#910',
    requirement: 'completions.stream.done-ends-stream',
    on: COMPLETIONS,
    does: changeEvents((events) => [
      ...events.slice(0, 2),
      { event: '', data: { error: { message: 'Internal server error', type: 'api_error' } } },
    ]),
  },
  {
    id: 'images-url-relative',
    says: 'image URLs are paths without a host',
    filed: 'MODSetter/SurfSense#1496',
    requirement: 'images.answer.url-is-absolute',
    on: ['createImage', 'createImageEdit', 'createImageVariation'],
    does: setInResponse('/data/*/url', (url) => (typeof url === 'string' ? new URL(url).pathname : url)),
  },
  {
    id: 'files-size-huge',
    says: 'the size of an uploaded file is ten thousand times too high',
    filed: 'llm-edge/hal-9100#102',
    requirement: 'files.upload.bytes-are-size',
    on: ['createFile', 'retrieveFile'],
    does: setInResponse('/bytes', (bytes) => Number(bytes) * 10_000),
  },
  {
    id: 'batches-last-result-dropped',
    says: 'files of results lack their last line',
    filed: 'TU-Wien-dataLAB/aqueduct#55',
    requirement: 'batches.results.each-request-once',
    on: ['retrieveFileContent'],
    does: changeContent((bytes) => {
      const text = bytes.toString('latin1');
      if (!text.includes('"custom_id"') || !text.includes('"response"')) return bytes;
      const lines = text.split('\n').filter((line) => line !== '');
      return Buffer.from(`${lines.slice(0, -1).join('\n')}\n`, 'latin1');
    }),
  },
  {
    id: 'batches-output-file-lost',
    says: 'the output file of a batch does not exist',
    filed: 'BerriAI/litellm#37718',
    requirement: 'batches.results.output-file-found',
    on: ['retrieveBatch'],
    does: setInResponse('/output_file_id', (id) => (typeof id === 'string' ? `${id}x` : (id ?? null))),
  },
  {
    id: 'models-owner-as-list',
    says: 'owned_by of listed models is a list of texts',
    filed: 'huggingface/transformers#46006',
    requirement: 'model:owned_by#type',
    on: ['listModels'],
    does: setInResponse('/data/*/owned_by', (owner) => [owner ?? null]),
  },
  {
    id: 'models-with-slash-not-found',
    says: 'models whose id contains a slash are listed but not found',
    filed: 'ollama/ollama#10139',
    requirement: 'models.retrieve.listed-is-found',
    on: ['listModels', 'retrieveModel'],
    does: {
      handle: async (request, proceed) => {
        const { model } = request.path;
        if (model === undefined)
          return setAtPointer(cloneJson(await proceed(request)), '/data/0/id', (id) => `acme/${id}`);
        if (model.includes('/')) throw ApiError.missing('model', model);
        return proceed(request);
      },
    },
  },
  {
    id: 'models-listed-without-key',
    says: 'lists models without a key',
    filed: 'decolua/9router#3085',
    requirement: 'auth.list-models.without-key',
    on: [],
    does: {
      door: ({ method, url, headers }, { apiKey }) => {
        if (apiKey !== null && method === 'GET' && url.startsWith('/v1/models'))
          headers.authorization ??= `Bearer ${apiKey}`;
        return null;
      },
    },
  },
  {
    id: 'chat-wrong-key-accepted',
    says: 'chat completions accept a wrong key',
    filed: 'gpustack/gpustack#3142',
    requirement: 'auth.create-chat-completion.wrong-key',
    on: [],
    does: {
      door: ({ url, headers }, { apiKey }) => {
        if (apiKey !== null && url.startsWith('/v1/chat/completions'))
          headers.authorization = `Bearer ${apiKey}`;
        return null;
      },
    },
  },
  {
    id: 'vector-store-file-batches-failures-uncounted',
    says: 'batches count failed files as completed',
    filed: 'ogx-ai/ogx#5565',
    requirement: 'vector-store-file-batches.counts.as-listed',
    on: ['retrieveVectorStoreFileBatch'],
    does: setInResponse('/file_counts', (counts) =>
      isJsonObject(counts)
        ? { ...counts, completed: Number(counts['completed']) + Number(counts['failed']), failed: 0 }
        : counts,
    ),
  },
  {
    id: 'vector-stores-counts-stay',
    says: 'the counts of a vector store do not follow the states of its files',
    filed: 'defenseunicorns/leapfrogai#743',
    requirement: 'vector-stores.counts.as-listed',
    on: ['retrieveVectorStore'],
    does: setInResponse('/file_counts', (counts) =>
      isJsonObject(counts)
        ? {
            in_progress: counts['total'] ?? 0,
            completed: 0,
            failed: 0,
            cancelled: 0,
            total: counts['total'] ?? 0,
          }
        : counts,
    ),
  },
  {
    id: 'vector-stores-removed-file-counted',
    says: 'a vector store still counts one file that was removed from it',
    filed: 'openai/openai-dotnet#540',
    requirement: 'vector-stores.counts.as-listed',
    on: ['retrieveVectorStore'],
    does: setInResponse('/file_counts', (counts) =>
      setAtPointer(
        setAtPointer(counts ?? null, '/total', (count) => Number(count) + 1),
        '/completed',
        (count) => Number(count) + 1,
      ),
    ),
  },
];

/** Sends texts as JSON strings. */
function quoted(): FaultHooks {
  return {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      if (!(outcome instanceof BinaryResponse) || typeof outcome.bytes !== 'string') return outcome;
      return new BinaryResponse(outcome.type, JSON.stringify(outcome.bytes));
    },
  };
}

const failure = { error: { message: 'The engine is out of memory.', type: 'server_error', code: 500 } };
const counts = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

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

const rows = createRequire(import.meta.url)('#reference/faults/filed.json') as readonly FaultRow[]; // as: the file is part of the sources

export const faults: readonly Fault[] = [...rows.map((row) => ({ ...row, does: hooksOf(row) })), ...inCode];
