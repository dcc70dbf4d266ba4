import { mediaTypeOf } from '../../exchange/http/content.ts';
import { choiceOf } from '../rows/rows.ts';
import { callsOperation } from '../vocabulary/changes.ts';
import { withBody } from '../vocabulary/exchanges.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, requests, settled, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Mutation } from '../vocabulary/types.ts';

const { stated } = section('2 Text completions');
const TEXTS = 'createCompletion';

/** Requests for a stream with best_of greater than n. */
const streamedBest = where(
  requests(TEXTS),
  asks('stream', true),
  settled,
  that('whose request has a number as best_of', ({ asked }) => numberAt(asked, 'best_of') !== undefined),
);

export const completionsBestOfNotStreamed = stated('completions.best-of.not-streamed', {
  says: 'A request for best_of texts is not answered with a stream.',
  selector: streamedBest,
  check: ({ call }) =>
    call.responseClass === 'accepted' && isStream(call.exchange)
      ? [violation('header content-type', 'not a stream of events', 'text/event-stream')]
      : [],
  mutations: { 'a stream': streamAnyway, 'a stream of nothing': emptyStream },
});

export const completionsBestOfStreamed = choiceOf('completions.best-of.streamed', {
  selector: where(streamedBest, ({ call }) => call.responseClass !== 'accepted' || !isStream(call.exchange)),
  taken: ({ call }) => (call.responseClass === 'accepted' ? 'answered in one piece' : 'refused'),
  examples: { 'answered in one piece': wholeAnyway },
});

function isStream({ response }: Exchange): boolean {
  return response !== null && mediaTypeOf(response.headers)?.essence === 'text/event-stream';
}

/** Replaces the response to each such request by the stream of another request. */
function streamAnyway(trace: readonly Exchange[]): ReturnType<Mutation> {
  return answeredAs(trace, (one) => isStream(one));
}

function emptyStream(trace: readonly Exchange[]): ReturnType<Mutation> {
  const streamed = streamAnyway(trace);
  return streamed?.map((one, i) => (one === trace[i] ? one : withBody(one, ''))) ?? null;
}

function wholeAnyway(trace: readonly Exchange[]): ReturnType<Mutation> {
  return answeredAs(trace, (one) => one.response?.status === 200 && !isStream(one));
}

function answeredAs(trace: readonly Exchange[], fits: (one: Exchange) => boolean): ReturnType<Mutation> {
  const other = trace.find((one) => callsOperation(one, TEXTS) && fits(one));
  if (other === undefined) return null;
  return trace.map((one) => {
    const asked = one.request.body.json?.value;
    const isConcerned =
      callsOperation(one, TEXTS) &&
      numberAt(asked, 'best_of') !== undefined &&
      valueAtPath(asked, 'stream') === true;
    return isConcerned ? { ...one, response: other.response, end: other.end } : one;
  });
}
