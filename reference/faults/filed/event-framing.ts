import { changeEvents, type FaultyEvent } from '../../deviations/changes.ts';
import type { Fault, FaultHooks } from '../../deviations/hooks.ts';
import { isJsonObject } from '../../http/json.ts';
import { EventStreamResponse } from '../../http/response.ts';

const chat = ['createChatCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'chat-refused-stream-is-200',
    says: 'rejected requests for a stream are answered 200, with the error as the only event',
    filed: 'ggml-org/llama.cpp#14566',
    requirement: 'chat.stream.refused-by-status',
    on: chat,
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
    on: chat,
    does: changeEvents((events) => events.map((event) => withText(event, `data: ${textOf(event)}`))),
  },
  {
    id: 'chat-chunk-cut-off',
    says: 'the second chunk of a stream is cut off and continued by the next event on the same line',
    filed: 'anomalyco/opencode#25858',
    requirement: 'createChatCompletion:stream#json',
    on: chat,
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
    on: chat,
    does: changeEvents((events) => [{ event: '', data: ': OPENROUTER PROCESSING' }, ...events]),
  },
  {
    id: 'chat-data-over-lines',
    says: 'chunks are split over several data lines',
    filed: 'SamSaffron/term-llm#454',
    requirement: 'chat.stream.one-data-line',
    on: chat,
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
