// Calls, fields and values that the specification does not list: services may treat them in any way.
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { bodyFeatures } from '../../judge/acceptance/features.ts';
import { asSent, isFromClient } from '../../judge/client/client-side.ts';
import { bodyOf } from '../../judge/probe/request-violations.ts';
import { matchAlternativePath, ownOperations } from '../../schemas/index.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEveryRequest } from '../vocabulary/changes.ts';
import { follow } from '../vocabulary/collecting.ts';
import { withRequest } from '../vocabulary/exchanges.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Exchange, Selector } from '../vocabulary/types.ts';

/** A part of a request that the specification does not list; null for a request without any. */
interface Beyond extends Evidence {
  readonly part: string | null;
}

const OPERATIONS = ownOperations().map(({ id }) => id);

const parts = stateless<Beyond>(
  'parts beyond the specification',
  OPERATIONS,
  { needs: 'a request' },
  (found) => {
    const { exchange } = found;
    if (!isFromClient(exchange)) return [];
    const call = found.variant === null ? asSent(found, '') : found;
    const body = bodyOf(call);
    const fields = body === null ? [] : bodyFeatures(body.tree, body.value).unlisted.map(placeOf);
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

/** `messages[].role`: without indexes, and without the value, which may be a secret. */
function placeOf(at: string): string {
  return at
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? '[]' : `.${step}`))
    .join('')
    .slice(1);
}

const calls: Selector<Beyond> = {
  ...follow<Beyond>(
    OPERATIONS,
    () => ({
      call: ({ exchange }: Call) => (isFromClient(exchange) ? [{ exchanges: [exchange], part: null }] : []),
      download: (exchange: Exchange) =>
        isCallBeyond(exchange) ? [{ exchanges: [exchange], part: lineOf(exchange) }] : [],
    }),
    'a request',
  ),
  downloads: true,
};

/** Browsers send OPTIONS by themselves. A picture is a download from a URL in a response. */
function isCallBeyond(exchange: Exchange): boolean {
  const { request, response } = exchange;
  if (!isFromClient(exchange) || request.method === 'OPTIONS') return false;
  const isPicture =
    request.method === 'GET' && mediaTypeOf(response?.headers ?? [])?.essence.startsWith('image/') === true;
  return !isPicture && matchAlternativePath(request.method, pathIn(request.target)) === null;
}

/** `GET /v1/threads/[]/runs/[]`: segments with more than small letters are ids. */
function lineOf({ request }: Exchange): string {
  const segments = pathIn(request.target).split('/');
  return `${request.method} ${segments.map((one) => (WORD.test(one) ? one : '[]')).join('/')}`;
}

const WORD = /^(?:v\d+|[a-z_-]{0,40})$/;

function pathIn(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

function partName({ part }: Beyond): string {
  return part === null ? 'none' : `also ${part}`;
}

export const requestsBeyond = choiceOf('client.requests.beyond', { selector: parts, taken: partName });

export const callsBeyond = choiceOf('client.calls.beyond', {
  selector: calls,
  taken: partName,
  examples: {
    'others too': inEveryRequest(['createChatCompletion'], (exchange) =>
      withRequest(exchange, (request) => ({ ...request, target: '/v1/embeddings' })),
    ),
  },
});
