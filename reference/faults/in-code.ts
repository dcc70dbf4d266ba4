// Faults that need code. faults.json has the others.
import {
  changeContent,
  changeEvents,
  changeResponse,
  cloneJson,
  type FaultyEvent,
  forceOtherFunction,
  setAtPointer,
  setInResponse,
} from '../deviations/changes.ts';
import type { Fault, FaultHooks } from '../deviations/hooks.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse } from '../http/response.ts';
import type { ServiceRequest } from '../http/route.ts';
import { perService, type Service } from '../state/service.ts';

const CHAT = ['createChatCompletion'];
const COMPLETIONS = ['createCompletion'];

export const faultsInCode: readonly Fault[] = [
  {
    id: 'rate-limit',
    says: 'answers the first request to each method and path with 429; breaks no requirement, exercises retries',
    requirement: null,
    on: [],
    does: { door: refuseFirst },
  },
  {
    id: 'audio-captions-quoted',
    says: 'transcriptions in text formats are JSON strings, in quotation marks and with escapes',
    filed: 'Nyralei/whisperx-api-server#4',
    requirement: 'audio.transcription.vtt-is-webvtt',
    on: ['createTranscription'],
    does: quoteTexts(),
  },
  {
    id: 'chat-roles-must-alternate',
    says: 'answers 500 where two messages in a row have the same role',
    filed: 'janhq/jan#6254',
    requirement: 'createChatCompletion:accepts',
    on: CHAT,
    does: {
      handle: (request, proceed) => {
        const { messages } = request.body;
        const roles = Array.isArray(messages) ? messages.map((message) => message?.role) : [];
        if (roles.some((role, i) => i > 0 && role === roles[i - 1]))
          throw new ApiError(500, 'Conversation roles must alternate.', { type: 'server_error' });
        return proceed(request);
      },
    },
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
function quoteTexts(): FaultHooks {
  return {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      if (!(outcome instanceof BinaryResponse) || typeof outcome.bytes !== 'string') return outcome;
      return new BinaryResponse(outcome.type, JSON.stringify(outcome.bytes));
    },
  };
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

/** Responds to refused requests for a stream with a stream of one event, the error. */
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

/** Requests that a service has refused once. */
const refusedOnce = perService(() => new Set<string>());

function refuseFirst({ method, url }: ServiceRequest, service: Service): ApiError | null {
  const key = `${method} ${url}`;
  if (refusedOnce(service).has(key)) return null;
  refusedOnce(service).add(key);
  return new ApiError(429, 'Rate limit reached for this request; try again shortly.', {
    type: 'requests',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '0', 'retry-after-ms': '10' },
  });
}
