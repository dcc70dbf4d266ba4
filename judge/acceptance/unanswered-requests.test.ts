import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getOrMake } from '../../schemas/maps.ts';
import { closesEachTime } from '../requirements/acceptance-facts.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { UnansweredRequests } from './unanswered-requests.ts';

const ANSWERS: Readonly<Record<string, ResponseSketch>> = {
  closed: { status: 0, how: 'upstream-reset' },
  // Another exchange ended meanwhile.
  'closed too': { status: 0, how: 'upstream-reset' },
  busy: { status: 503 },
};

function addUp(answers: readonly string[], partOf: (answer: number) => number) {
  const trace = new TraceBuilder();
  const parts = new Map<number, UnansweredRequests>();
  for (const [n, name] of answers.entries()) {
    const after = name === 'closed too' ? n - 1 : n;
    const exchange = { ...trace.add('listModels', { after }, ANSWERS[name]), scenario: 'some' };
    const call = Call.from(exchange, testTraceHeader().betaHeader);
    if (call === null) throw new Error('no call');
    const part = getOrMake(parts, partOf(n), () => new UnansweredRequests());
    part.add('request', call, { subject: 'listModels', assumes: [], features: [] });
  }
  const merged = new UnansweredRequests();
  for (const [, part] of [...parts].toSorted(([a], [b]) => a - b)) merged.absorb(part.part());
  return merged.exceptAccepted({ wasAccepted: () => false, wasAnswered: () => false });
}

test('equal requests in several parts add up to the same as in one, in any order', () => {
  const answers = fc.array(fc.constantFrom('closed', 'closed too', 'busy'), { minLength: 1, maxLength: 5 });
  const partOf = fc.array(fc.constantFrom(0, 1, 2), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(answers, partOf, (names, numbers) => {
      expect(addUp(names, (n) => numbers[n] ?? 0)).toEqual(addUp(names, () => 0));
    }),
  );
});

test.each([
  [['closed'], false],
  [['closed', 'closed'], true],
  [['closed', 'closed too'], false],
  [['closed too', 'closed'], true],
  [['closed', 'closed', 'busy'], false],
  [['closed', 'busy', 'closed'], false],
  [['busy', 'closed', 'closed'], false],
])('after %j, closesEachTime returns %s', (answers, expected) => {
  const [request] = addUp(answers, (n) => n % 2);
  expect(request).toMatchObject({ exchange: 'e1' });
  expect(closesEachTime(request?.closed)).toBe(expected);
});
