// Fields that a request must not have, or not together. The schemas limit single fields; unknown fields are allowed.

import { CREATED_BEFORE_FIELD } from '../../exchange/disturbed.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { ownOperations } from '../../schemas/index.ts';
import { inEveryRequest, inRequest, setValue } from '../vocabulary/changes.ts';
import { withHeader, withRequestHeader, withRequestJson } from '../vocabulary/exchanges.ts';
import { isObject, numberAt, textAt } from '../vocabulary/json.ts';
import { requests, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Call, Json, RequestEvidence } from '../vocabulary/types.ts';

const { stated, implied } = section('1 Assistant');

const ASSISTANTS = ['createAssistant', 'modifyAssistant'];
const USUAL = 1;

const OF_OTHER: Readonly<Record<string, string>> = { v1: 'tool_resources', v2: 'file_ids' };

function foreignField({ call, asked }: RequestEvidence): string | undefined {
  const name = OF_OTHER[call.variant?.name ?? ''];
  return name !== undefined && isObject(asked) && Object.hasOwn(asked, name) ? name : undefined;
}

/**
 * Null and an empty list fail as well: the field does not exist in the version that the header names. Requests without the
 * header are skipped.
 */
export const clientAssistantsOwnVersion = stated('client.assistants.own-version', {
  says: 'A client sends no field of the version of assistants that its header does not name.',
  selector: where(requests(ASSISTANTS), ({ call, asked }) => call.variant !== null && isObject(asked)),
  check: (evidence) => {
    const name = foreignField(evidence);
    if (name === undefined) return [];
    const { call, asked } = evidence;
    const actual = isObject(asked) ? asked[name] : undefined;
    return [{ at: `request /${name}`, expected: `no field that ${call.variant?.name ?? ''} lacks`, actual }];
  },
  mutations: {
    'files with v2': inEveryRequest(ASSISTANTS, (exchange) =>
      withRequestJson(exchange, setValue('/file_ids', ['file-1'])),
    ),
    'tool resources with v1': inEveryRequest(ASSISTANTS, (exchange) =>
      withRequestJson(exchange, setValue('/tool_resources', {})),
    ),
  },
});

function isChanged(asked: Json | undefined, name: string): boolean {
  const value = numberAt(asked, name);
  return value !== undefined && value !== USUAL;
}

/** The specification only advises this. 1 is the default of both settings, and null leaves the field out. */
export const clientAssistantsOneSampling = stated('client.assistants.one-sampling', {
  level: 'SHOULD',
  says: 'A client changes temperature or top_p of an assistant, not both.',
  selector: where(
    requests(ASSISTANTS),
    ({ asked }) => isChanged(asked, 'temperature') || isChanged(asked, 'top_p'),
  ),
  check: ({ asked }) =>
    isChanged(asked, 'temperature') && isChanged(asked, 'top_p')
      ? [{ at: 'request /top_p', expected: 'one of temperature and top_p', actual: numberAt(asked, 'top_p') }]
      : [],
  mutations: {
    'both low': inRequest(ASSISTANTS, setValue('/temperature', 0), setValue('/top_p', 0.5)),
    both: inRequest(ASSISTANTS, setValue('/temperature', 1.5), setValue('/top_p', 0.1)),
  },
});

const messages = section('1 Messages and message files');
const MODIFY = ['modifyMessage'];

/** Threads are not judged: the specification leaves their other fields open. */
export const clientMessagesMetadataOnly = messages.stated('client.messages.metadata-only', {
  says: 'A client that modifies a message sends metadata and nothing else.',
  selector: where(requests(MODIFY), ({ asked }) => isObject(asked)),
  check: ({ asked }) => {
    const names = isObject(asked) ? Object.keys(asked) : [];
    return names
      .filter((name) => name !== 'metadata')
      .map((name) => ({
        at: `request /${name}`,
        expected: 'metadata alone',
        actual: isObject(asked) ? asked[name] : undefined,
      }));
  },
  mutations: {
    'new content': inRequest(MODIFY, setValue('/content', 'another text')),
    'new role': inRequest(MODIFY, setValue('/role', 'assistant')),
  },
});

const EVERY = ownOperations().map(({ id }) => id);

/** The scheme in any case (RFC 9110, section 11.1), then the key. */
const BEARER = /^bearer +\S+$/i;

/** Only the form is judged, which the aliases of recordings keep. */
export const clientRequestsBearerKey = stated('client.requests.bearer-key', {
  spec: '1 Authentication',
  says: 'A client sends its key as a bearer token with every request.',
  selector: requests(EVERY),
  check: ({ call }) => {
    const actual = firstHeader(call.exchange.request.headers, 'authorization') ?? undefined;
    if (actual !== undefined && BEARER.test(actual)) return [];
    // The form alone is shown: the rest of the value may be a secret.
    const shown = actual === undefined ? undefined : (actual.split(' ')[0] ?? '');
    return [{ at: 'request header authorization', expected: 'Bearer and the key', actual: shown }];
  },
  mutations: {
    'no key': inEveryRequest(EVERY, (exchange) => withRequestHeader(exchange, 'authorization', null)),
    'another scheme': inEveryRequest(EVERY, (exchange) =>
      withRequestHeader(exchange, 'authorization', 'Basic dXNlcjpwYXNz'),
    ),
    'the key alone': inEveryRequest(EVERY, (exchange) =>
      withRequestHeader(exchange, 'authorization', 'some-key'),
    ),
  },
});

// Creations that a client repeats because the response was lost. The disturber marks the second response.

const ANSWERING = ['createChatCompletion', 'createCompletion', 'createModeration'];
const CREATING = ownOperations()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('create') && !ANSWERING.includes(id));

function madeBefore(headers: Parameters<typeof firstHeader>[0] | undefined): string | null {
  return headers === undefined ? null : firstHeader(headers, CREATED_BEFORE_FIELD);
}

function madeBy({ exchange: { response }, responseJson }: Call): string | undefined {
  if (response === null || response.status >= 300) return undefined;
  if (!isEventStream(response)) return textAt(responseJson, 'id');
  return (eventsOf(response)?.events ?? [])
    .map(({ json }) => textAt(json?.value, 'id'))
    .find((id) => id !== undefined);
}

/**
 * A SHOULD: the specification has no idempotency key, and HTTP advises against repeating a non-idempotent request (RFC 9110,
 * section 9.2.2).
 */
export const clientCreationsOnce = implied('client.creations.once', {
  spec: '1 Endpoints',
  level: 'SHOULD',
  says: 'A client that loses the answer to a creation does not make the object a second time.',
  selector: where(requests(CREATING), ({ call }) => madeBy(call) !== undefined),
  check: ({ call }) => {
    const before = madeBefore(call.exchange.response?.headers);
    const id = madeBy(call);
    if (before === null || before === id) return [];
    return [{ at: '/id', expected: `no second object beside ${before}`, actual: id }];
  },
  mutations: {
    'sent twice': inEveryRequest(CREATING, (exchange) =>
      withHeader(exchange, CREATED_BEFORE_FIELD, 'an-object-that-exists'),
    ),
  },
});
