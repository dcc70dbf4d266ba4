import { expect, test } from 'vitest';
import type { Probe } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { openJudge } from '../../explain/judge.ts';
import { probeRequirements } from '../probe/probe-evaluator.ts';
import { catalogueOfSets } from '../testing/catalogue-of-sets.ts';
import { TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { readDialect } from './dialect.ts';

const CHAT = 'createChatCompletion';
const dialect = readDialect(
  JSON.stringify({
    dialect: 1,
    name: 'own',
    errata: [
      {
        id: 'no-sampling',
        reason: 'The model m has no temperature.',
        refusals: [
          {
            operations: [CHAT],
            asked: { type: 'object', properties: { model: { const: 'm' } } },
            statuses: [400],
            fields: { temperature: { type: 'number', not: { const: 1 } } },
          },
        ],
      },
    ],
  }),
  'own.json',
);
const probe: Probe = {
  id: 'p1',
  operation: CHAT,
  pointer: 'body.temperature',
  keyword: 'maximum',
  side: 'valid',
  control: null,
};

function verdictOf(model: string, temperature: number, answer: { status: number; json: Json }) {
  const trace = new TraceBuilder();
  trace.add(CHAT, { body: { model, messages: [], temperature }, probe }, answer);
  const judge = openJudge({
    catalogue: catalogueOfSets([probeRequirements()]),
    header: testTraceHeader(),
    dialect,
  });
  for (const exchange of trace.exchanges) judge.feed(exchange);
  const { requirements, errata } = judge.finish();
  const judged = requirements.find(({ id }) => id === `${CHAT}:body.temperature#maximum.accepted`);
  return { verdict: judged?.verdict, errata: errata.map(({ id }) => id) };
}

const namingError = { error: { message: "'temperature' is not supported", param: 'temperature' } };

test('a refusal that names the field is excused, and counted', () => {
  const excused = { verdict: 'excused', errata: ['no-sampling'] };
  expect(verdictOf('m', 2, { status: 400, json: namingError })).toEqual(excused);
  for (const message of ["'temperature' is unknown", 'Not with this model: top_p, temperature'])
    for (const param of [null, ''])
      expect(verdictOf('m', 2, { status: 400, json: { error: { message, param } } })).toEqual(excused);
});

test.each([
  ['of another model', 'n', 2, 400, namingError],
  ['of the default value', 'm', 1, 400, namingError],
  ['with another status', 'm', 2, 422, namingError],
  ['for another field', 'm', 2, 400, { error: { message: 'temperature', param: 'seed' } }],
  ['without a reason', 'm', 2, 400, { error: {} }],
  ['whose message only uses the word', 'm', 2, 400, { error: { message: 'Mind the temperature: too hot' } }],
  ['with a message of one long word', 'm', 2, 400, { error: { message: 'a'.repeat(200_000) } }],
  ['without an error object', 'm', 2, 400, 'temperature'],
] as const)('a refusal %s fails', (_, model, temperature, status, json) => {
  expect(verdictOf(model, temperature, { status, json })).toEqual({ verdict: 'fail', errata: [] });
});
