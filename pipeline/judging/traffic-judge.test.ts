import { expect, test } from 'vitest';
import { TraceBuilder, testTraceHeader } from '../../judge/testing/trace-builder.ts';
import { catalogue } from '../../suites/index.ts';
import { TrafficJudge } from './traffic-judge.ts';

test('merged parts claim the families of a batch in the order of its lines, whichever part called one of them first', async () => {
  const trace = new TraceBuilder();
  const lines = ['/v1/chat/completions', '/v1/completions'].map((url, n) =>
    JSON.stringify({ custom_id: `${n}`, method: 'POST', url, body: {} }),
  );
  const file = { name: 'file', value: lines.join('\n'), filename: 'input.jsonl' };
  const exchanges = [
    trace.add('createFile', { form: [{ name: 'purpose', value: 'batch' }, file] }),
    trace.add('createCompletion', { body: {} }),
  ];
  const header = testTraceHeader({ claims: { families: [], how: 'given' } });
  const options = { catalogue: await catalogue('client'), header, dialect: null, finds: 'called' } as const;
  const whole = new TrafficJudge(options);
  for (const exchange of exchanges) whole.feed(exchange);
  const parts = exchanges.map((exchange) => {
    const judge = new TrafficJudge(options);
    judge.feed(exchange);
    return judge.part(exchanges.length);
  });
  const families = ['files', 'chat', 'completions'];
  expect(whole.finish().header.claims.families).toEqual(families);
  expect(new TrafficJudge(options).merge(parts.toReversed()).header.claims.families).toEqual(families);
});
