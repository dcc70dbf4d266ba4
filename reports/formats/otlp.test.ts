import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { otlpTraces } from './otlp.ts';

interface Message {
  fromObject(value: unknown): unknown;
  verify(value: unknown): string | null;
  toObject(value: unknown, options: { longs: typeof String }): unknown;
}

const require = createRequire(import.meta.url);
// as: generated from the definitions of the protocol
const { opentelemetry } = require('@opentelemetry/otlp-transformer/build/src/generated/root.js') as {
  opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: Message } } } } };
};
const Request = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

const START_TIME = 1_790_000_000_000;

function readSpans(name: 'broken' | 'nothing') {
  const { report, evidence } = sampleReport(name);
  const began = (id: string) => START_TIME + Number(id.slice(1)) * 100;
  const text = otlpTraces(report, { ...evidence, timeline: { size: 20, began } });
  const [{ scopeSpans }] = JSON.parse(text).resourceSpans;
  return { text, spans: scopeSpans[0].spans };
}

test.for(['broken', 'nothing'] as const)('the %s sample is a message of the protocol', (name) => {
  const { text } = readSpans(name);
  const value = JSON.parse(text);
  // Ids are hexadecimal in OTLP/JSON and bytes in protobuf.
  const inBytes = JSON.parse(text, (key, inner) =>
    /^(?:trace|span|parentSpan)Id$/.test(key) ? Buffer.from(String(inner), 'hex').toString('base64') : inner,
  );
  const message = Request.fromObject(inBytes);
  expect(Request.verify(message)).toBeNull();
  // Fields unknown to the protocol are lost in this round trip.
  const again = JSON.stringify(Request.toObject(message, { longs: String }));
  const count = (json: string) => json.match(/"(?:key|name|startTimeUnixNano|message)":/g)?.length;
  expect(count(again)).toBe(count(JSON.stringify(value)));
});

test('an exchange belongs to its scenario and its run, has absolute times, and is an error if it shows a failure', () => {
  const { report } = sampleReport('broken');
  const { spans } = readSpans('broken');
  const root = spans.find((one: { name: string }) => one.name === 'assay run');
  const known = new Set(spans.map((one: { spanId: string }) => one.spanId));
  for (const one of spans) expect(one === root || known.has(one.parentSpanId)).toBe(true);
  const bytes = report.requirements.find(({ id }) => id === 'file:bytes#type');
  const exchange = bytes?.findings[0]?.exchange ?? '';
  const findSpan = (id: string) =>
    spans.find((one: { attributes: { key: string; value: { stringValue?: string } }[] }) =>
      one.attributes.some(({ key, value }) => key === 'assay.exchange' && value.stringValue === id),
    );
  expect(findSpan(exchange)).toMatchObject({ kind: 3, status: { code: 2 } });
  const from = BigInt(START_TIME + Number(exchange.slice(1)) * 100) * 1_000_000n;
  expect(findSpan(exchange).startTimeUnixNano).toBe(String(from));
  expect(BigInt(findSpan(exchange).endTimeUnixNano) >= from).toBe(true);
});
