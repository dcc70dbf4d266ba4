import { expect, test } from 'vitest';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { UnansweredRequests } from './unanswered-requests.ts';

const ANSWERS: Readonly<Record<string, ResponseSketch>> = {
  closed: { status: 0, how: 'upstream-reset' },
  busy: { status: 503 },
};

/** What the parts of a trace of equal requests add up to. */
function addUp(...parts: readonly (readonly string[])[]) {
  const trace = new TraceBuilder();
  const whole = new UnansweredRequests();
  const tallies = parts.map((answers) => {
    const tally = new UnansweredRequests();
    for (const name of answers) {
      const exchange = { ...trace.add('listModels', {}, ANSWERS[name]), scenario: 'some' };
      const call = Call.from(exchange, testTraceHeader().betaHeader);
      if (call === null) throw new Error('no call');
      tally.add('request', call, { subject: 'listModels', assumes: [], features: [] });
    }
    return tally;
  });
  // The order in which parts are added does not matter.
  for (const tally of tallies.toReversed()) whole.absorb(tally.part());
  return whole.exceptAccepted({ wasAccepted: () => false });
}

test.each([
  [['closed'], ['closed']],
  [['closed', 'closed'], ['closed']],
  [['closed', 'closed'], ['busy']],
  [['closed'], ['busy']],
  [['busy'], ['closed', 'closed']],
  [['closed'], ['closed', 'closed']],
  [['closed', 'busy'], ['closed']],
])('parts with equal requests that got no response add up to the whole: %j and %j', (first, later) => {
  expect(addUp(first, later)).toEqual(addUp([...first, ...later]));
});

test('a connection that closes in both parts closes each time', () => {
  expect(addUp(['closed'], ['closed'])).toMatchObject([
    { exchange: 'e1', isClosedEachTime: true, closed: { exchanges: ['e1', 'e2'] } },
  ]);
  expect(addUp(['closed', 'closed'], ['busy'])).toMatchObject([{ exchange: 'e1', why: 'protocol' }]);
  expect(addUp(['closed', 'closed'], ['busy'])[0]).not.toHaveProperty('isClosedEachTime');
});
