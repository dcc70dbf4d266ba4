import { mediaType } from '../../exchange/content.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withBody } from '../../judge/edit/exchanges.ts';
import { get, number } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';
import { only, requests } from '../../judge/selectors/answers.ts';
import { choice, requirement } from '../../judge/write.ts';

const TEXTS = 'createCompletion';
const SPEC = '2 Text completions';

/** Requests for a stream of the best of several. */
const streamedBest = only(
  requests(TEXTS),
  ({ asked, call }) =>
    number(asked, 'best_of') !== undefined &&
    get(asked, 'stream') === true &&
    (call.outcome === 'accepted' || call.outcome === 'rejected'),
);

export const notStreamed = requirement({
  id: 'completions.best-of.not-streamed',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The best of several texts does not come as a stream.',
  on: streamedBest,
  check: ({ call }) =>
    call.outcome === 'accepted' && isStream(call.exchange)
      ? [{ at: 'header content-type', expected: 'no stream of events', actual: 'text/event-stream' }]
      : [],
  breaks: { 'a stream': streamAnyway, 'a stream of nothing': emptyStream },
});

export const streamed = choice({
  id: 'completions.best-of.streamed',
  spec: SPEC,
  says: 'What becomes of a request to stream the best of several.',
  alternatives: ['refused', 'answered in one piece'],
  on: only(streamedBest, ({ call }) => call.outcome === 'rejected' || !isStream(call.exchange)),
  taken: ({ call }) => (call.outcome === 'rejected' ? 'refused' : 'answered in one piece'),
  examples: { 'answered in one piece': wholeAnyway },
});

function isStream({ response }: Exchange): boolean {
  return response !== null && mediaType(response.headers)?.essence === 'text/event-stream';
}

/** Answers each such request with the stream that another one got. */
function streamAnyway(trace: readonly Exchange[]): ReturnType<Break> {
  return answeredAs(trace, (one) => isStream(one));
}

function emptyStream(trace: readonly Exchange[]): ReturnType<Break> {
  const streamed = streamAnyway(trace);
  return streamed?.map((one, i) => (one === trace[i] ? one : withBody(one, ''))) ?? null;
}

function wholeAnyway(trace: readonly Exchange[]): ReturnType<Break> {
  return answeredAs(trace, (one) => one.response?.status === 200 && !isStream(one));
}

function answeredAs(trace: readonly Exchange[], fits: (one: Exchange) => boolean): ReturnType<Break> {
  const other = trace.find((one) => calls(one, TEXTS) && fits(one));
  if (other === undefined) return null;
  return trace.map((one) => {
    const asked = one.request.body.json?.value;
    const isMeant =
      calls(one, TEXTS) && number(asked, 'best_of') !== undefined && get(asked, 'stream') === true;
    return isMeant ? { ...one, response: other.response, end: other.end } : one;
  });
}
