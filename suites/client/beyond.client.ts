// Calls, parameters, fields and values that the specification does not list: services may treat them in any way.
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { bodyFeatures } from '../../judge/acceptance/body-features.ts';
import { interpretAsSent, isFromClient } from '../../judge/client/client-side.ts';
import { bodyOf } from '../../judge/probe/request-violations.ts';
import { targetPath } from '../../judge/trace/call.ts';
import { matchAlternativePath, ownOperations } from '../../schemas/index.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEveryRequest } from '../vocabulary/changes.ts';
import { follow } from '../vocabulary/collecting.ts';
import { withRequest } from '../vocabulary/exchanges.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Exchange, Selector } from '../vocabulary/types.ts';

/** A part of a request that the specification does not list; null for a request without such a part. */
interface PartBeyond extends Evidence {
  readonly part: string | null;
}

const OPERATIONS = ownOperations().map(({ id }) => id);
/** Versions and short words in lower case; any other segment counts as an id. */
const FIXED_SEGMENT = /^(?:v\d+|[a-z_-]{0,40})$/;

const partsBeyond = stateless<PartBeyond>(
  'parts beyond the specification',
  OPERATIONS,
  { needs: 'a request' },
  (recordedCall) => {
    const { exchange } = recordedCall;
    if (!isFromClient(exchange)) return [];
    // No header matches the empty name, so the version is read from whatever beta header the client sent.
    const call = recordedCall.variant === null ? interpretAsSent(recordedCall, '') : recordedCall;
    const body = bodyOf(call);
    const fields = body === null ? [] : bodyFeatures(body.tree, body.value).unlisted.map(fieldPattern);
    const beyond = new Set([...parametersBeyond(call), ...fields]);
    const isRead = body !== null || exchange.request.body.size === 0;
    return beyond.size === 0 && isRead
      ? [{ exchanges: [exchange], part: null }]
      : [...beyond].map((part) => ({ exchanges: [exchange], part: `${call.operation.id} ${part}` }));
  },
);

function parametersBeyond({ operation, query }: Call): readonly string[] {
  const listed = new Set(operation.parameters.flatMap((one) => (one.in === 'query' ? one.name : [])));
  return [...query.keys()].flatMap((name) => (listed.has(name) ? [] : `query.${name}`));
}

/** The path of a field without indexes: `messages[].role`. Its value is not shown, because it may be a secret. */
function fieldPattern(at: string): string {
  return at
    .replaceAll(/\/\d+(?=\/|$)/g, '[]')
    .replaceAll('/', '.')
    .slice(1);
}

const callsOfClient: Selector<PartBeyond> = {
  ...follow<PartBeyond>(
    OPERATIONS,
    () => ({
      call: ({ exchange }: Call) => (isFromClient(exchange) ? [{ exchanges: [exchange], part: null }] : []),
      download: (exchange: Exchange) =>
        isCallBeyond(exchange) ? [{ exchanges: [exchange], part: requestPattern(exchange) }] : [],
    }),
    'a request',
  ),
  downloads: true,
};

/** Ignores other spellings of listed paths, OPTIONS, which browsers send on their own, and downloads of pictures. */
function isCallBeyond(exchange: Exchange): boolean {
  const { request, response } = exchange;
  if (!isFromClient(exchange) || request.method === 'OPTIONS') return false;
  const isPicture =
    request.method === 'GET' && mediaTypeOf(response?.headers ?? [])?.essence.startsWith('image/') === true;
  return !isPicture && matchAlternativePath(request.method, targetPath(request.target)) === null;
}

/** The method and the path without ids: `GET /v1/threads/[]/runs/[]`. */
function requestPattern({ request }: Exchange): string {
  const segments = targetPath(request.target).split('/');
  return `${request.method} ${segments.map((segment) => (FIXED_SEGMENT.test(segment) ? segment : '[]')).join('/')}`;
}

function alternativeOf({ part }: PartBeyond): string {
  return part === null ? 'none' : `also ${part}`;
}

export const requestsBeyond = choiceOf('client.requests.beyond', {
  selector: partsBeyond,
  taken: alternativeOf,
});

export const callsBeyond = choiceOf('client.calls.beyond', {
  selector: callsOfClient,
  taken: alternativeOf,
  examples: {
    'others too': inEveryRequest(['createChatCompletion'], (exchange) =>
      withRequest(exchange, (request) => ({ ...request, target: '/v1/embeddings' })),
    ),
  },
});
