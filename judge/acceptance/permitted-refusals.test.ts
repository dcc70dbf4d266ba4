import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { openJudge } from '../../explain/judge.ts';
import { requests, where } from '../evidence/calls.ts';
import type { Catalogue } from '../requirements/catalogue.ts';
import { choice } from '../requirements/define.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import { catalogueOfSets } from '../testing/catalogue-of-sets.ts';
import { TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import type { Call } from '../trace/call.ts';
import { valueAtPath } from '../trace/json.ts';
import { acceptanceRequirements } from './acceptance.ts';
import { AcceptanceTally } from './acceptance-tally.ts';

type CallEvidence = Evidence & { readonly call: Call };

const CHAT = 'createChatCompletion';
const HEADER = testTraceHeader({ models: { chat: 'm' } });
const OK = { json: { id: 'x' } };
const NO = { status: 400, json: { error: { message: 'no' } } };

const requestsForSeveral: Selector<CallEvidence> = where(
  requests(CHAT),
  ({ asked }) => Number(valueAtPath(asked, 'n') ?? 1) > 1,
);
const requestsAtEnd: Selector<CallEvidence> = {
  ...requests(CHAT),
  collect: () => holdBack(requestsForSeveral.collect()),
};

function holdBack(collector: Collector<CallEvidence>): Collector<CallEvidence> {
  const held: CallEvidence[] = [];
  return {
    call: (call) => {
      held.push(...collector.call(call));
      return [];
    },
    finish: () => [...held, ...(collector.finish?.() ?? [])],
  };
}

function choiceOfSeveral(refused: string, selector = requestsForSeveral) {
  return choice({
    id: 'chat.test.several',
    spec: '2 Chat',
    says: 'Whether several answers may be requested.',
    alternatives: ['accepted', refused],
    selector,
    taken: ({ call }) => (call.responseClass === 'accepted' ? 'accepted' : refused),
  });
}

function catalogueWith(...choices: Catalogue['choices']): Catalogue {
  return catalogueOfSets([acceptanceRequirements()], { choices });
}

function verdictOf(catalogue: Catalogue, responseToSeed: typeof OK | typeof NO = OK) {
  const trace = new TraceBuilder();
  const chat = (more: { readonly [name: string]: Json }, answer: typeof OK | typeof NO) =>
    trace.add(CHAT, { body: { model: 'm', messages: [{ role: 'user', content: 'x' }], ...more } }, answer);
  const judge = openJudge({ catalogue, header: HEADER });
  for (let shard = 0; shard < 2; shard += 1) {
    const before = trace.exchanges.length;
    chat({ n: 1 }, OK);
    chat({ n: 2 }, NO);
    chat({ seed: 1 }, responseToSeed);
    for (const exchange of trace.exchanges.slice(before)) judge.feed(exchange);
    if (shard === 0) judge.next();
  }
  const { requirements } = judge.finish();
  const judged = requirements.find(({ id }) => id === `${CHAT}:accepts`);
  return { verdict: judged?.verdict, causes: judged?.findings.map(({ causeId }) => causeId) };
}

test('a refusal that no choice permits is a failure', () => {
  const refused = { verdict: 'fail', causes: [`${CHAT}:accepts#body.n>1`] };
  expect(verdictOf(catalogueWith())).toEqual(refused);
  expect(verdictOf(catalogueWith(choiceOfSeveral('another form')))).toEqual(refused);
});

test.for([
  ['with the request', requestsForSeveral],
  ['only at the end of the trace', requestsAtEnd],
] as const)(
  'a refusal that is an alternative of a choice is permitted if it becomes known %s',
  ([, selector]) => {
    const catalogue = catalogueWith(choiceOfSeveral('refused', selector));
    expect(verdictOf(catalogue)).toEqual({ verdict: 'pass', causes: [] });
  },
);

test('a choice covers only the requests that it concerns', () => {
  const catalogue = catalogueWith(choiceOfSeveral('refused'));
  expect(verdictOf(catalogue, NO)).toEqual({ verdict: 'fail', causes: [`${CHAT}:accepts#body.seed`] });
});

test('a permitted 403 does not make the refusal of an equal request look like a missing permission', () => {
  const tally = new AcceptanceTally();
  const kind = { subject: 'listModels', features: [], assumes: [] };
  tally.refusedKinds.add(kind, { exchange: 'e1', at: 1, isForbidden: true });
  tally.refusedKinds.add(kind, { exchange: 'e2', at: 2, isForbidden: false });
  tally.permit('e1');
  expect(tally.facts().refusedRows.get('listModels')).toMatchObject([{ refused: 1, exchanges: ['e2'] }]);
});
