import { expect, test } from 'vitest';
import { DISTURBED_FIELD } from '../../exchange/disturbed.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { createPlanColumns, SHARED, TrafficPlan } from './traffic-plan.ts';

test('every part sees the first accepted chat completion that is not disturbed, whatever precedes it', () => {
  const trace = new TraceBuilder();
  const complete = (content: string, headers: readonly (readonly [string, string])[] = []) =>
    trace.add(
      'createChatCompletion',
      { body: { model: 'm', messages: [{ role: 'user', content }] } },
      { json: {}, headers },
    );
  const preflight = complete('a');
  const exchanges = [
    { ...preflight, request: { ...preflight.request, method: 'OPTIONS' } },
    complete('b', [[DISTURBED_FIELD, 'truncated-json']]),
    complete('c'),
    complete('d'),
  ];
  const plan = new TrafficPlan(createPlanColumns(exchanges.length));
  for (const exchange of exchanges) plan.add(exchange);
  const { places } = plan.assignPlaces(2);
  expect([...places.subarray(2)].map((place) => place >= SHARED)).toEqual([false, true, false]);
});
