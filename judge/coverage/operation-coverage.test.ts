import { expect, test } from 'vitest';
import type { Probe } from '../../exchange/exchange.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { OperationCoverage } from './operation-coverage.ts';

const SPEECH = { model: 'tts-1', input: 'x', voice: 'alloy' };
const KEYLESS_PROBE: Probe = {
  id: 'p',
  operation: 'createSpeech',
  pointer: 'header.authorization',
  keyword: 'absent',
  side: 'violation',
  control: null,
};

function findUnusableResponse(...answers: readonly ResponseSketch[]) {
  const trace = new TraceBuilder();
  for (const [i, answer] of answers.entries())
    trace.add('createSpeech', { body: SPEECH, ...(i === 0 ? { probe: KEYLESS_PROBE } : {}) }, answer);
  return coverageOf(trace).findUnusableResponse(['createSpeech']);
}

function coverageOf({ exchanges }: TraceBuilder): OperationCoverage {
  const coverage = new OperationCoverage();
  for (const exchange of exchanges) {
    const call = Call.from(exchange, testTraceHeader().betaHeader);
    if (call !== null) coverage.call(call, exchange.ended);
  }
  return coverage;
}

const DENIED = { status: 401 };
const FAILED = { status: 500 };

test('a denied request without a key is not an unusable response', () => {
  expect(findUnusableResponse(DENIED, FAILED)).toMatchObject({ exchange: 'e2', fault: 'protocol' });
  expect(findUnusableResponse(DENIED)).toBeNull();
});

test('the first unusable response is found, unless a complete one was received', () => {
  expect(findUnusableResponse(FAILED, DENIED)).toMatchObject({ exchange: 'e1', fault: 'protocol' });
  expect(findUnusableResponse({ status: 200, json: {} }, DENIED)).toBeNull();
});

test('a 404 that names a parameter of the request does not show an absent route', () => {
  const countAbsent = (error: { readonly message: string; readonly param: string | null }) => {
    const trace = new TraceBuilder();
    trace.add(
      'createThreadAndRun',
      { body: { assistant_id: 'asst_none' } },
      { status: 404, json: { error } },
    );
    return coverageOf(trace)
      .part()
      .map(({ absent }) => absent);
  };
  expect(countAbsent({ message: 'No assistant found.', param: 'assistant_id' })).toEqual([0]);
  expect(countAbsent({ message: 'Unknown request URL.', param: null })).toEqual([1]);
});
