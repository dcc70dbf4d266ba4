// Fields and values that the specification does not list: no service promises what it does with them.
import { bodyFeatures } from '../../judge/acceptance/features.ts';
import { isOfClient } from '../../judge/client/client-side.ts';
import { bodyOf } from '../../judge/probe/unlabelled-violations.ts';
import { ownOperations } from '../../schemas/index.ts';
import { choiceOf } from '../rows/rows.ts';
import { setValue } from '../vocabulary/changes.ts';
import { withRequestJson } from '../vocabulary/exchanges.ts';
import { arrayAt } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Mutation, RequestEvidence } from '../vocabulary/types.ts';
import { foundIn } from './evidence.ts';

/** One of them, or null for a request without any. */
type Beyond = RequestEvidence & { readonly part: string | null };

const beyond = stateless<Beyond>(
  'parts beyond the specification',
  ownOperations().map(({ id }) => id),
  { needs: 'a request with a body' },
  (call) => {
    const body = isOfClient(call.exchange) ? bodyOf(call) : null;
    if (body === null) return [];
    const parts = new Set(bodyFeatures(body.tree, body.value).unlisted.map((at) => nameOf(call, at)));
    return (parts.size === 0 ? [null] : [...parts]).map((part) => foundIn(call, { part }));
  },
);

/** `createChatCompletion messages[].role`: without indexes, and without the value, which may be a secret. */
function nameOf({ operation }: Call, at: string): string {
  const place = at
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? '[]' : `.${step}`))
    .join('');
  return `${operation.id} ${place.slice(1)}`;
}

export const requestsBeyond = choiceOf('client.requests.beyond', {
  selector: beyond,
  taken: ({ part }) => (part === null ? 'none' : `also ${part}`),
  examples: { 'others too': reasoning },
});

function reasoning(...[trace]: Parameters<Mutation>): ReturnType<Mutation> {
  const found = trace.find(
    (exchange) =>
      isOfClient(exchange) &&
      exchange.request.target.endsWith('/chat/completions') &&
      arrayAt(exchange.request.body.json?.value, 'messages').length > 0,
  );
  if (found === undefined) return null;
  return trace.map((exchange) =>
    exchange === found ? withRequestJson(exchange, setValue('/reasoning_effort', 'low')) : exchange,
  );
}
