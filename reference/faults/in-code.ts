// Faults that need code, by id. `faults.json` has the others, and the descriptions of all.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { tryParseJson } from '../../schemas/json.ts';
import {
  changeBinary,
  changeEvents,
  changeResponse,
  type ParsedEvent,
  replaceBody,
  setInResponse,
} from '../deviations/changes.ts';
import type { DeviationHooks } from '../deviations/deviation.ts';
import { cloneJson, elementsOf, objectOf, setAtPointer } from '../deviations/json-changes.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse } from '../http/response.ts';
import type { ServiceRequest } from '../http/route.ts';
import { perService, type Service } from '../state/service.ts';

/** Method and URL of each request that the fault `rate-limit` has refused. */
const refusedOnce = perService(() => new Set<string>());

export const FAULTS_IN_CODE: Readonly<Record<string, DeviationHooks>> = {
  'rate-limit': { beforeAuthentication: refuseFirstAttempt },
  'audio-captions-quoted': changeBinary((outcome) =>
    typeof outcome.bytes === 'string'
      ? new BinaryResponse(outcome.type, JSON.stringify(outcome.bytes))
      : outcome,
  ),
  'chat-roles-must-alternate': {
    handle: (request, proceed) => {
      const { messages } = request.body;
      const roles = Array.isArray(messages) ? messages.map((message) => message?.role) : [];
      if (roles.some((role, i) => i > 0 && role === roles[i - 1]))
        throw new ApiError(500, 'Conversation roles must alternate.', { type: 'server_error' });
      return proceed(request);
    },
  },
  'chat-arguments-as-object': setInResponse('/choices/*/message/tool_calls/*/function/arguments', (text) =>
    typeof text === 'string' ? (tryParseJson(text) ?? text) : text,
  ),
  'chat-forced-function-not-called': forceOtherFunction(),
  'chat-index-counts-chunks': changeChunks((chunk, i) => setAtPointer(chunk, '/choices/*/index', i)),
  'chat-id-of-each-choice': changeChunks((chunk) =>
    setAtPointer(chunk, '/id', (id) => `${id}-${choiceIndexOf(chunk)}`),
  ),
  'chat-created-moves': changeChunks((chunk, i) =>
    setAtPointer(chunk, '/created', (time) => Number(time) + i),
  ),
  'chat-refused-stream-is-200': refuseInStream(),
  'completions-refused-stream-is-200': refuseInStream(),
  'chat-chunk-cut-off': changeEvents((events) => {
    const [first, second, third, ...later] = events;
    if (first === undefined || second === undefined || third === undefined) return events;
    const text = sentText(second);
    const joined = `${text.slice(0, Math.floor(text.length / 2))}data: ${sentText(third)}`;
    return [first, { ...second, data: joined }, ...later];
  }),
  'chat-data-over-lines': changeEvents((events) =>
    events.map((event) =>
      isJsonObject(event.data)
        ? { ...event, data: JSON.stringify(event.data, null, 1).replaceAll('\n', '\ndata: ') }
        : event,
    ),
  ),
  'completions-created-as-text': setInResponse('/created', (time) =>
    new Date(Number(time) * 1000).toISOString(),
  ),
  'completions-in-messages': setInResponse('/choices/*', (choice) =>
    isJsonObject(choice)
      ? {
          index: choice['index'] ?? 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: choice['text'] ?? null },
        }
      : choice,
  ),
  'completions-stop-kept': changeResponse((answer, { body }) => {
    const stop = Array.isArray(body['stop']) ? body['stop'][0] : body['stop'];
    return typeof stop === 'string'
      ? setAtPointer(answer, '/choices/*/text', (text) => `${text}${stop}`)
      : answer;
  }),
  'images-url-relative': setInResponse('/data/*/url', (url) =>
    typeof url === 'string' ? new URL(url).pathname : url,
  ),
  'files-size-huge': setInResponse('/bytes', (bytes) => Number(bytes) * 10_000),
  'batches-last-result-dropped': changeBinary(async (outcome) => {
    const text = (await readBytes(outcome)).toString('latin1');
    if (!text.includes('"custom_id"') || !text.includes('"response"'))
      return new BinaryResponse(outcome.type, Buffer.from(text, 'latin1'), text.length);
    const lines = text.split('\n').filter((line) => line !== '');
    const bytes = Buffer.from(`${lines.slice(0, -1).join('\n')}\n`, 'latin1');
    return new BinaryResponse(outcome.type, bytes, bytes.length);
  }),
  'models-owner-as-list': setInResponse('/data/*/owned_by', (owner) => [owner ?? null]),
  'models-with-slash-not-found': {
    handle: async (request, proceed) => {
      const { model } = request.path;
      if (model === undefined)
        return setAtPointer(cloneJson(await proceed(request)), '/data/0/id', (id) => `acme/${id}`);
      if (model.includes('/')) throw ApiError.missing('model', model);
      return proceed(request);
    },
  },
  'models-listed-without-key': {
    beforeAuthentication: ({ method, url, headers }, { apiKey }) => {
      if (apiKey !== null && method === 'GET' && url.startsWith('/v1/models'))
        headers.authorization ??= `Bearer ${apiKey}`;
      return null;
    },
  },
  'chat-wrong-key-accepted': {
    beforeAuthentication: ({ url, headers }, { apiKey }) => {
      if (apiKey !== null && url.startsWith('/v1/chat/completions'))
        headers.authorization = `Bearer ${apiKey}`;
      return null;
    },
  },
  'vector-store-file-batches-failures-uncounted': setInResponse('/file_counts', (counts) =>
    isJsonObject(counts)
      ? { ...counts, completed: Number(counts['completed']) + Number(counts['failed']), failed: 0 }
      : counts,
  ),
};

async function readBytes({ bytes }: BinaryResponse): Promise<Buffer> {
  return bytes instanceof Readable ? buffer(bytes) : Buffer.from(bytes);
}

function changeChunks(change: (chunk: Json, i: number) => Json): DeviationHooks {
  return changeEvents((events) =>
    events.map((event, i) => (isJsonObject(event.data) ? { ...event, data: change(event.data, i) } : event)),
  );
}

function choiceIndexOf(chunk: Json): number {
  const [choice] = elementsOf(objectOf(chunk)['choices']);
  return isJsonObject(choice) ? Number(choice['index']) : 0;
}

/** Forces the first function that `tool_choice` does not name, if there is one. */
function forceOtherFunction(): DeviationHooks {
  const nameOf = (tool: Json | undefined) => objectOf(objectOf(tool)['function'])['name'];
  return replaceBody((body) => {
    const { tools, tool_choice: choice } = body;
    if (!isJsonObject(choice) || !isJsonObject(choice['function'])) return body;
    const name = elementsOf(tools)
      .map(nameOf)
      .find((other) => other !== undefined && other !== nameOf(choice));
    return name === undefined ? body : { ...body, tool_choice: { type: 'function', function: { name } } };
  });
}

/** Responds to a refused request for a stream with a stream whose only event is the error. */
function refuseInStream(): DeviationHooks {
  return {
    replaceError: (apiError, { body }) =>
      isJsonObject(body) && body['stream'] === true
        ? new EventStreamResponse([{ data: apiError.envelope() }])
        : null,
  };
}

function sentText({ data }: ParsedEvent): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}

function refuseFirstAttempt({ method, url }: ServiceRequest, service: Service): ApiError | null {
  const key = `${method} ${url}`;
  if (refusedOnce(service).has(key)) return null;
  refusedOnce(service).add(key);
  return new ApiError(429, 'Rate limit reached for this request; try again shortly.', {
    type: 'requests',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '0', 'retry-after-ms': '10' },
  });
}
