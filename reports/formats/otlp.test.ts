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
const SCENARIO = 'files.plain';

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

function readSpans(name: 'broken' | 'nothing', scenario = SCENARIO) {
  const { report, evidence } = sampleReport(name);
  const exchange = (id: string) => {
    const stored = evidence.exchange(id);
    return stored && { ...stored, scenario };
  };
  const began = (id: string) => START_TIME + Number(id.slice(1)) * 100;
  const text = otlpTraces(report, { ...evidence, exchange, timeline: { size: 20, began } });
  const [{ scopeSpans }] = JSON.parse(text).resourceSpans;
  const spans: readonly Span[] = scopeSpans[0].spans;
  return { text, spans };
}

function findBrokenExchange() {
  const { report, evidence } = sampleReport('broken');
  const id = report.requirements.find((one) => one.id === 'file:bytes#type')?.findings[0]?.exchange ?? '';
  const span = readSpans('broken').spans.find(({ attributes }) =>
    attributes.some(({ key, value }) => key === 'assay.exchange' && value.stringValue === id),
  );
  return { id, span, durationMs: evidence.exchange(id)?.end.at ?? 0 };
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

test('an exchange belongs to its scenario, and the scenario to the run', () => {
  const { spans } = readSpans('broken');
  const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  const scenario = spans.find(({ name }) => name === SCENARIO);
  expect([root?.name, others, scenario?.parentSpanId]).toEqual(['assay run', [], root?.spanId]);
  expect(findBrokenExchange().span?.parentSpanId).toBe(scenario?.spanId);
});

test.each(['run', 'e3'])('a scenario named %s has a span id of its own', (scenario) => {
  const { spans } = readSpans('broken', scenario);
  expect(spans.map(({ name }) => name)).toContain(scenario);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
});

test('the address of the server is its host, and its port is an integer', () => {
  const [{ resource }] = JSON.parse(readSpans('broken').text).resourceSpans;
  expect(resource.attributes).toEqual(
    expect.arrayContaining([
      { key: 'server.address', value: { stringValue: '127.0.0.1' } },
      { key: 'server.port', value: { intValue: '4010' } },
    ]),
  );
});

test('an exchange has absolute times', () => {
  const { id, span, durationMs } = findBrokenExchange();
  const start = BigInt(START_TIME + Number(id.slice(1)) * 100) * 1_000_000n;
  expect(span?.startTimeUnixNano).toBe(String(start));
  expect(durationMs).toBeGreaterThan(0);
  const lengthNs = BigInt(span?.endTimeUnixNano ?? 0) - start;
  expect(Number(lengthNs) / 1e6).toBeCloseTo(durationMs, 3);
});

test('an exchange that shows a failure is a client span with an error, which names the requirement', () => {
  expect(findBrokenExchange().span).toMatchObject({
    kind: 3,
    status: { code: 2, message: 'file:bytes#type' },
  });
});
