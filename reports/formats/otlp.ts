// OpenTelemetry spans as OTLP/JSON, for a collector's file receiver: the run, its scenarios, its exchanges.
// Attributes follow the semantic conventions for HTTP clients; assay's own begin with `assay.`. Ids are hexadecimal,
// times are strings of Unix nanoseconds. Headers and bodies are left out.
import { createHash } from 'node:crypto';
import { printable } from '../../exchange/printable.ts';
import { matchOperation } from '../../schemas/index.ts';
import { groupBy } from '../../schemas/maps.ts';
import type { FailureContext } from '../failure/failure.ts';
import { type TimedExchange, timedExchanges } from '../failure/timed-exchanges.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';

const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;
const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** The run begins at 0 if its times are unknown. */
export function otlpTraces(rawReport: Report, context: FailureContext): string {
  const report = printableReport(rawReport);
  const traffic = [...timedExchanges(context)];
  // Ids are digests, so that equal reports give equal files.
  const traceId = digest(32, report.target.baseUrl, String(traffic[0]?.from ?? 0), String(traffic.length));
  const root = digest(16, traceId, 'run');
  const broken = brokenByExchange(report);
  const spans = [
    span(
      { traceId, spanId: root, name: 'assay run', kind: INTERNAL, ...extent(traffic) },
      { 'assay.verdict': report.summary.verdict, 'assay.claims': report.claims.join(',') },
    ),
    ...scenarioSpans(traffic, traceId, root),
    ...traffic.map((one) => {
      const { scenario } = one.exchange;
      const parentSpanId = scenario === null ? root : digest(16, traceId, scenario);
      return exchangeSpan(one, { traceId, parentSpanId }, broken.get(one.exchange.id) ?? []);
    }),
  ];
  const resource = {
    attributes: attributes({
      'service.name': report.tool.name,
      'service.version': report.tool.version,
      'server.address': report.target.name,
    }),
  };
  const scope = { name: report.tool.name, version: report.tool.version };
  return `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })}\n`;
}

function scenarioSpans(traffic: readonly TimedExchange[], traceId: string, root: string) {
  return [...groupBy(traffic, ({ exchange }) => exchange.scenario)].flatMap(([name, exchanges]) => {
    if (name === null) return [];
    const ids = { traceId, spanId: digest(16, traceId, name), parentSpanId: root };
    return span({ ...ids, name, kind: INTERNAL, ...extent(exchanges) }, { 'assay.scenario': name });
  });
}

function brokenByExchange({ requirements }: Report): ReadonlyMap<string, readonly string[]> {
  const broken = new Map<string, string[]>();
  for (const { id, verdict, findings } of requirements) {
    if (verdict !== 'fail') continue;
    for (const { exchange } of findings) broken.set(exchange, [...(broken.get(exchange) ?? []), id]);
  }
  return broken;
}

/** The span of an exchange, named by method and route; an error if it broke off or breaks MUSTs (`assay.broken`). */
function exchangeSpan(
  { exchange, from, to }: TimedExchange,
  ids: { readonly traceId: string; readonly parentSpanId: string },
  broken: readonly string[],
) {
  const { request, response, end } = exchange;
  const [path = ''] = request.target.split('?', 1);
  const operation = matchOperation(request.method, path)?.operation;
  const firstByte = response?.pieces[0];
  const name = `${request.method} ${operation?.path ?? 'other'}`;
  const facts = { ...ids, spanId: digest(16, ids.traceId, exchange.id), name, kind: CLIENT, from, to };
  // A refusal alone is not an error, because many requests are meant to be refused.
  const isFailed = broken.length > 0 || end.how !== 'complete';
  return {
    ...span(facts, {
      'http.request.method': request.method,
      'url.path': printable(path),
      ...(response !== null && { 'http.response.status_code': response.status }),
      ...(operation !== undefined && { 'http.route': operation.path, 'assay.operation': operation.id }),
      'assay.exchange': exchange.id,
      'assay.ending': end.how,
      ...(broken.length > 0 && { 'assay.broken': [...new Set(broken)].join(',') }),
    }),
    ...(firstByte !== undefined && {
      events: [{ name: 'first byte of the body', timeUnixNano: nanoseconds(from + firstByte.at) }],
    }),
    ...(isFailed && { status: { code: ERROR, message: broken[0] ?? end.how } }),
  };
}

/** Times are Unix milliseconds. */
function span<Facts extends { readonly from: number; readonly to: number }>(
  { from, to, ...fields }: Facts,
  values: Readonly<Record<string, string | number>>,
) {
  return {
    ...fields,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(to),
    attributes: attributes(values),
  };
}

function extent(traffic: readonly TimedExchange[]): { readonly from: number; readonly to: number } {
  const from = traffic.reduce((earliest, one) => Math.min(earliest, one.from), traffic[0]?.from ?? 0);
  return { from, to: traffic.reduce((latest, one) => Math.max(latest, one.to), from) };
}

/** OTLP/JSON writes 64-bit integers as strings. */
function attributes(values: Readonly<Record<string, string | number>>) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

function nanoseconds(milliseconds: number): string {
  const wholeMilliseconds = Math.trunc(milliseconds);
  return String(
    BigInt(wholeMilliseconds) * NANOSECONDS_PER_MILLISECOND +
      BigInt(Math.round((milliseconds - wholeMilliseconds) * 1e6)),
  );
}

function digest(digits: number, ...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, digits);
}
