// OpenTelemetry spans as OTLP/JSON, for a collector's file receiver: the run, its scenarios, its exchanges.
// Attributes have the names of the semantic conventions for HTTP, with the path template of an operation as
// `http.route`; assay's own begin with `assay.`. Ids are hexadecimal, times are strings of Unix nanoseconds. Headers
// and bodies are left out.
import { createHash } from 'node:crypto';
import type { Exchange } from '../../exchange/exchange.ts';
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
  const exchanges = Array.from(timedExchanges(context), summarize);
  // Ids are digests, so that equal reports give equal files.
  const traceId = digest(
    32,
    report.target.baseUrl,
    String(exchanges[0]?.from ?? 0),
    String(exchanges.length),
  );
  const root = spanId(traceId, 'run', '');
  const broken = brokenByExchange(report);
  const spans = [
    span(
      { traceId, spanId: root, name: 'assay run', kind: INTERNAL, ...extent(exchanges) },
      { 'assay.verdict': report.summary.verdict, 'assay.claims': report.claims.join(',') },
    ),
    ...scenarioSpans(exchanges, traceId, root),
    ...exchanges.map((one) => {
      const { id, scenario } = one;
      const parentSpanId = scenario === null ? root : spanId(traceId, 'scenario', scenario);
      return exchangeSpan(one, { traceId, parentSpanId }, broken.get(id) ?? []);
    }),
  ];
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(report.target.name) ?? [];
  const resource = {
    attributes: attributes({
      'service.name': report.tool.name,
      'service.version': report.tool.version,
      'server.address': host,
      ...(port !== undefined && { 'server.port': Number(port) }),
    }),
  };
  const scope = { name: report.tool.name, version: report.tool.version };
  return `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })}\n`;
}

/** An exchange without its headers and bodies, so that all exchanges of a run fit into memory. */
interface ExchangeSummary extends Pick<TimedExchange, 'from' | 'to'>, Pick<Exchange, 'id' | 'scenario'> {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  /** When the first byte of the body arrived, in Unix milliseconds; null without a body. */
  readonly firstByte: number | null;
  readonly ending: Exchange['end']['how'];
}

function summarize({ exchange, from, to }: TimedExchange): ExchangeSummary {
  const { id, scenario, request, response, end } = exchange;
  const [path = ''] = request.target.split('?', 1);
  const [first] = response?.pieces ?? [];
  return {
    ...{ id, scenario, from, to, method: request.method, path, ending: end.how },
    status: response?.status ?? null,
    firstByte: first === undefined ? null : from + first.at,
  };
}

function scenarioSpans(exchanges: readonly ExchangeSummary[], traceId: string, root: string) {
  return [...groupBy(exchanges, ({ scenario }) => scenario)].flatMap(([name, members]) => {
    if (name === null) return [];
    const ids = { traceId, spanId: spanId(traceId, 'scenario', name), parentSpanId: root };
    return span({ ...ids, name, kind: INTERNAL, ...extent(members) }, { 'assay.scenario': name });
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
  { id, method, path, status, firstByte, ending, from, to }: ExchangeSummary,
  ids: { readonly traceId: string; readonly parentSpanId: string },
  broken: readonly string[],
) {
  const operation = matchOperation(method, path)?.operation;
  const name = `${method} ${operation?.path ?? 'other'}`;
  const facts = { ...ids, spanId: spanId(ids.traceId, 'exchange', id), name, kind: CLIENT, from, to };
  // A refusal alone is not an error, because many requests are meant to be refused.
  const isFailed = broken.length > 0 || ending !== 'complete';
  return {
    ...span(facts, {
      'http.request.method': method,
      'url.path': printable(path),
      ...(status !== null && { 'http.response.status_code': status }),
      ...(operation !== undefined && { 'http.route': operation.path, 'assay.operation': operation.id }),
      'assay.exchange': id,
      'assay.ending': ending,
      ...(broken.length > 0 && { 'assay.broken': [...new Set(broken)].join(',') }),
    }),
    ...(firstByte !== null && {
      events: [{ name: 'first byte of the body', timeUnixNano: nanoseconds(firstByte) }],
    }),
    ...(isFailed && { status: { code: ERROR, message: broken[0] ?? ending } }),
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

function extent(exchanges: readonly ExchangeSummary[]): { readonly from: number; readonly to: number } {
  const from = exchanges.reduce((earliest, one) => Math.min(earliest, one.from), exchanges[0]?.from ?? 0);
  return { from, to: exchanges.reduce((latest, one) => Math.max(latest, one.to), from) };
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

/** The kind distinguishes a scenario from an exchange or the run of the same name. */
function spanId(traceId: string, kind: 'run' | 'scenario' | 'exchange', name: string): string {
  return digest(16, traceId, kind, name);
}

function digest(digits: number, ...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, digits);
}
