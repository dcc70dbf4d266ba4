import { expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import { judgeTrace, openJudge } from '../explain/judge.ts';
import { readDialect } from './dialects/dialect.ts';
import { schemaRequirements } from './schema/response-evaluator.ts';
import { catalogueOfSets } from './testing/catalogue-of-sets.ts';
import { TraceBuilder, testTraceHeader } from './testing/trace-builder.ts';

const CATALOGUE = catalogueOfSets([schemaRequirements()]);
const INVALID_MODEL = { id: 5, object: 'model', created: 1, owned_by: 'a' };

function recordInvalidModel(mark: string | null, scenario: string | null = null): readonly Exchange[] {
  const trace = new TraceBuilder();
  trace.add('retrieveModel', { path: { model: 'm' } }, { json: INVALID_MODEL });
  return trace.exchanges.map((exchange) => {
    const { response } = exchange;
    if (response === null || mark === null) return { ...exchange, scenario };
    const headers = [...response.headers, ['x-assay-disturbed', mark] as const];
    return { ...exchange, scenario, response: { ...response, headers } };
  });
}

function verdictOf(
  items: readonly Exchange[],
  options: { readonly disturbed?: boolean } = { disturbed: true },
) {
  const { requirements, operations, hints } = judgeTrace(CATALOGUE, testTraceHeader(options), items);
  const requirement = requirements.find(({ id }) => id === 'model:id#type');
  const exercised = operations.find(({ id }) => id === 'retrieveModel')?.exercised;
  return { verdict: requirement?.verdict, exercised, hints };
}

test.each(['truncated-json', 'error-500', 'cut-stream'])(
  'a response disturbed by %s is not evidence, and a hint counts it',
  (mark) => {
    expect(verdictOf(recordInvalidModel(mark))).toEqual({
      verdict: 'untested',
      exercised: 0,
      hints: [{ kind: 'answers-disturbed', answers: 1 }],
    });
  },
);

test.each([
  ['that only came slowly', recordInvalidModel('slow-pieces')],
  ['without a mark', recordInvalidModel(null)],
  ['to the suite itself, which is never disturbed', recordInvalidModel('truncated-json', 'models.list')],
])('a response %s is judged', (_, items) => {
  expect(verdictOf(items)).toEqual({ verdict: 'fail', exercised: 1, hints: [] });
});

test('a response without a mark is judged if another response was disturbed', () => {
  expect(verdictOf([...recordInvalidModel('truncated-json'), ...recordInvalidModel(null)]).verdict).toBe(
    'fail',
  );
});

test('a mark in a trace without a disturber came from the service: it is ignored, and a hint counts it', () => {
  expect(verdictOf(recordInvalidModel('truncated-json'), {})).toEqual({
    verdict: 'fail',
    exercised: 1,
    hints: [{ kind: 'marks-not-believed', answers: 1 }],
  });
});

test('a disturbed call at a path of the dialect counts once as a use of its erratum', () => {
  const erratum = { id: 'engines', reason: 'Own.', paths: { '/v1/models/{model}': '/v1/engines/{model}' } };
  const dialect = readDialect(JSON.stringify({ format: 1, name: 'own', errata: [erratum] }), 'own.json');
  const judge = openJudge({ catalogue: CATALOGUE, header: testTraceHeader({ disturbed: true }), dialect });
  for (const exchange of recordInvalidModel('error-500'))
    judge.feed({ ...exchange, request: { ...exchange.request, target: '/v1/engines/m' } });
  expect(judge.finish().errata).toEqual([expect.objectContaining({ id: 'engines', times: 1 })]);
});
