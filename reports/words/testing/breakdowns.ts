import type { BreakdownFacts, Cause } from '../../../judge/verdict/cause.ts';

export const TOOLS_BREAKDOWN: BreakdownFacts = {
  id: 'createChatCompletion:accepts#body.tools',
  features: ['body.tools'],
  statuses: [500],
  with: { failed: 34, total: 34 },
  without: { failed: 0, total: 100 },
};

export const BREAKDOWNS: readonly (readonly [cause: Cause, words: string])[] = [
  [
    { kind: 'breakdown', exchange: 'e14', faults: [fault('body.stop', [503])] },
    'answers 503 to stop: 14 of 14 requests with it, 0 of 96 without: a fault of the service rather than a lack of capacity',
  ],
  [
    {
      kind: 'breakdown',
      exchange: 'e14',
      faults: [fault('body.stop', [500]), fault('body.n>1', [502, 504])],
    },
    'answers 500 to stop: 14 of 14 requests with it, 0 of 96 without; answers 502 or 504 to n > 1: 14 of 14 requests with it, 0 of 96 without: a fault of the service',
  ],
  [
    { kind: 'breakdown', exchange: 'e14', faults: [fault('body.stop', [null])] },
    'does not answer stop in time: 14 of 14 requests with it, 0 of 96 without: a fault of the service rather than a lack of capacity',
  ],
  [
    { kind: 'breakdown', exchange: 'e14', faults: [fault('body.stop', [null, 429])] },
    'answers 429, or not in time, to stop: 14 of 14 requests with it, 0 of 96 without: a fault of the service rather than a lack of capacity',
  ],
];

function fault(feature: string, statuses: readonly (number | null)[]): BreakdownFacts {
  return {
    id: `createChatCompletion:accepts#${feature}`,
    features: [feature],
    statuses,
    with: { failed: 14, total: 14 },
    without: { failed: 0, total: 96 },
  };
}
