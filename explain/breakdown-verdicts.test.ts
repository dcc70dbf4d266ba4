import { expect, test } from 'vitest';
import type { FailedRequest } from '../judge/requirements/acceptance-facts.ts';
import type { Breakdown } from '../judge/requirements/refusal-causes.ts';
import type { Cause } from '../judge/verdict/cause.ts';
import { BreakdownVerdicts } from './breakdown-verdicts.ts';

function createBreakdown(feature: string, exchanges: readonly string[]): Breakdown {
  const share = { failed: 9, total: 9 };
  const facts = { features: [feature], statuses: [503], with: share, without: { failed: 0, total: 90 } };
  return { subject: 'createChatCompletion', exchanges, ...facts };
}

function createFailedRequest(exchange: string, scenario: string, status: number | null = 503): FailedRequest {
  const facts = { subject: 'createChatCompletion', features: [], assumes: [], fingerprint: exchange };
  return {
    ...facts,
    exchange,
    scenario,
    status,
    isViolation: false,
    probe: null,
    after: 0,
    at: 1,
    inFlight: 0,
  };
}

const CHAT = ['createChatCompletion'];
const [STOP, SEED] = [createBreakdown('body.stop', ['e1', 'e2']), createBreakdown('body.seed', ['e2', 'e3'])];
const verdicts = new BreakdownVerdicts({
  breakdowns: [STOP, SEED],
  lost: [
    createFailedRequest('e1', 'a'),
    createFailedRequest('e3', 'b'),
    createFailedRequest('e8', 'b'),
    createFailedRequest('e9', 'c', 500),
    createFailedRequest('e2', 'd'),
    createFailedRequest('e7', 'e', null),
  ],
});

function listFaults(cause: Cause | null) {
  return cause?.kind === 'breakdown' ? cause.faults.map(({ id }) => id.replace(/.*#/, '')) : cause;
}

function createCapacityCause(exchange: string) {
  return { kind: 'capacity', exchange, arrival: null } as const;
}

test('a cause that cites an exchange names the breakdowns that explain the exchange, if any', () => {
  expect(listFaults(verdicts.explain('chat.some', createCapacityCause('e1')))).toEqual(['body.stop']);
  expect(listFaults(verdicts.explain('chat.some', createCapacityCause('e2')))).toEqual([
    'body.stop',
    'body.seed',
  ]);
  expect(listFaults(verdicts.explain('chat.some', createCapacityCause('e8')))).toEqual(
    createCapacityCause('e8'),
  );
});

test('the cause of an acceptance requirement names all breakdowns of its operation', () => {
  expect(listFaults(verdicts.explain('createChatCompletion:accepts', createCapacityCause('e1')))).toEqual([
    'body.stop',
    'body.seed',
  ]);
});

test.each([
  [503, 'capacity'],
  [429, 'capacity'],
  [500, 'blocked'],
  [null, 'blocked'],
])('a requirement blocked by a request that got status %j has the cause %s', (status, kind) => {
  const obstacle = { kind: 'answered', method: 'POST', path: '/v1/files', status } as const;
  expect(verdicts.explain('file.some', { kind: 'blocked', exchange: 'e8', obstacle }).kind).toBe(kind);
});

test('breakdowns explain missing evidence only if each scenario lost a call to one', () => {
  expect(listFaults(verdicts.causeOfScenarios(['a'], CHAT))).toEqual(['body.stop']);
  expect(listFaults(verdicts.causeOfScenarios(['a', 'd'], CHAT))).toEqual(['body.stop', 'body.seed']);
  expect(verdicts.causeOfScenarios(['a', 'without a failure'], CHAT)).toBeNull();
  expect(verdicts.causeOfScenarios(['without a failure'], CHAT)).toBeNull();
});

test('an overload that no breakdown explains takes precedence, because another run may not meet it', () => {
  const arrival = { what: 'answered', status: 503 };
  expect(verdicts.causeOfScenarios(['b'], CHAT)).toEqual({
    kind: 'capacity',
    exchange: 'e8',
    arrival,
  });
  expect(verdicts.causeOfScenarios(['a', 'e'], CHAT)).toEqual({
    kind: 'capacity',
    exchange: 'e7',
    arrival: null,
  });
});

test('an unexplained 500 is no cause, because it does not indicate a lack of capacity', () => {
  expect(verdicts.causeOfScenarios(['c'], CHAT)).toBeNull();
});

test('a failure of another operation explains no missing evidence', () => {
  expect(verdicts.causeOfScenarios(['a'], ['createSpeech'])).toBeNull();
});

test.each([
  ['createAssistant.v2', 'createAssistant'],
  ['choir.sing', 'choir.sing'],
])('a failure of %s explains missing evidence of the operation %s', (subject, operation) => {
  const lost = [{ ...createFailedRequest('e1', 'a'), subject }];
  const { kind } = new BreakdownVerdicts({ breakdowns: [], lost }).causeOfScenarios(['a'], [operation]) ?? {};
  expect(kind).toBe('capacity');
});

test('a failed requirement is attributed to breakdowns only if they explain each exchange with a finding', () => {
  const listFaultsBehind = (exchangesAtFault: readonly string[] | null) =>
    verdicts.faultsBehind({ exchangesAtFault }).map(({ id }) => id.replace(/.*#/, ''));
  expect(listFaultsBehind(['e1'])).toEqual(['body.stop']);
  expect(listFaultsBehind(['e1', 'e3'])).toEqual(['body.stop', 'body.seed']);
  // Null means that there were too many exchanges to list.
  expect([listFaultsBehind(['e1', 'e4']), listFaultsBehind(null), listFaultsBehind([])]).toEqual([
    [],
    [],
    [],
  ]);
});
