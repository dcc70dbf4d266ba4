import { expect, test } from 'vitest';
import { Body } from '../../exchange/http/body.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { unpackExchange, ViolationFilter } from './violation-messages.ts';

const REQUIREMENT = { id: 'model:id#type' } as never; // as: what is read

test('a sent body has its own buffer, even if its bytes are a view of a larger one', () => {
  const exchange = new TraceBuilder().add('listModels', {}, { json: {} });
  const body = Body.from(Buffer.from('some text').subarray(5));
  const evidence = [{ ...exchange, request: { ...exchange.request, body } }];
  const found = new ViolationFilter('full').select(
    { at: '', expected: '', actual: undefined },
    REQUIREMENT,
    evidence,
  );
  const [sent] = structuredClone(found?.evidence ?? []);
  if (sent === undefined) throw new Error('The violation was sent without its exchange.');
  expect(sent.request.body.bytes?.buffer.byteLength).toBe(4);
  expect(unpackExchange(sent).request.body.text).toBe('text');
});
