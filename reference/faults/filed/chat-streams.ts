import { changeEvents, type FaultyEvent, setAtPointer, setInEvents } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { isJsonObject, type Json } from '../../http/json.ts';

const on = ['createChatCompletion'];

const failure = { error: { message: 'The engine is out of memory.', type: 'server_error', code: 500 } };
const counts = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

export const faults: readonly Fault[] = [
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
