import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import { listDashboardQueries, readDashboard } from './testing/dashboard.ts';
import { runAssay, type ServingCommand, startServing } from './testing/run-assay.ts';

const WAITING = { timeout: 30_000, interval: 10 };

const folder = mkdtempSync(join(tmpdir(), 'assay-metrics-'));
const SECRET = 'sk-a-secret-key-of-this-test-0123456789';
let reference: Reference;
let watch: ServingCommand;
let metricsUrl = '';
let output = '';

beforeAll(async () => {
  reference = await serveReference();
  const flags = ['--side', 'both', '--metrics', '0', '--log', 'json', '--report-dir', join(folder, 'report')];
  watch = await startServing(['watch', '--base-url', reference.url, ...flags]);
  // With `--log json`, the first line is not the URL but the event `listening`, which contains it.
  const started = JSON.parse(watch.url) as { url: string; metrics: string }; // as: our own line
  metricsUrl = started.metrics;
  watch.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const send = async (path: string, body: object) =>
    (
      await fetch(`${started.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).text();
  const chat = { model: 'chat-small', messages: [{ role: 'user', content: 'Say "one two three four"' }] };
  await send('/chat/completions', { ...chat, temperature: 3, api_key: SECRET });
  await send('/chat/completions', { ...chat, temperature: 3 });
  await send('/chat/completions', { ...chat, stream: true });
  await send(`/unlisted/${SECRET}`, {});
});

afterAll(async () => {
  await watch.stop();
  await reference.close();
  rmSync(folder, { recursive: true, force: true });
});

async function scrape(): Promise<string> {
  let text = '';
  await vi.waitUntil(async () => {
    text = await (await fetch(`${metricsUrl}/metrics`)).text();
    return text.includes('assay_requests_total{operation="other",status="4xx"} 1');
  }, WAITING);
  return text;
}

test('a scrape in the format of Prometheus counts requests, findings, violated requirements, times, bytes and dropped evidence', async () => {
  const text = await scrape();
  const families = new Map(parseMetrics(text).map((family) => [family.name, family]));
  const readMetrics = (name: string) => families.get(name)?.metrics;
  expect(readMetrics('assay_requests_total')).toEqual(
    expect.arrayContaining([
      { value: '2', labels: { operation: 'createChatCompletion', status: '4xx' } },
      { value: '1', labels: { operation: 'createChatCompletion', status: '2xx' } },
      { value: '1', labels: { operation: 'other', status: '4xx' } },
    ]),
  );
  const requirement = 'client:createChatCompletion:body.temperature#maximum';
  expect(readMetrics('assay_findings_total')).toEqual([
    { value: '2', labels: { requirement, operation: 'createChatCompletion', level: 'MUST' } },
  ]);
  expect(readMetrics('assay_violated_requirements')).toContainEqual({
    value: '1',
    labels: { level: 'MUST' },
  });
  expect(text).toContain('assay_first_byte_seconds_count{operation="createChatCompletion"} 3');
  const [, gaps] = /assay_event_gap_seconds_count{operation="createChatCompletion"} (\d+)/.exec(text) ?? [];
  expect(Number(gaps)).toBeGreaterThan(2);
  expect(readMetrics('assay_dropped_total')?.map(({ labels, value }) => [labels?.['reason'], value])).toEqual(
    [
      ['disk_limit', '0'],
      ['disk_failure', '0'],
      ['judge_memory', '0'],
      ['upgraded', '0'],
    ],
  );
  const bytes = readMetrics('assay_request_bytes_total')?.find(
    ({ labels }) => labels?.['operation'] === 'other',
  );
  expect(bytes?.value).toBe('2');
});

test('only health, readiness and metrics are served, and only to GET and HEAD', async () => {
  const answers = await Promise.all(
    ['/healthz', '/readyz', '/'].map(async (path) => {
      const answer = await fetch(`${metricsUrl}${path}`);
      return [answer.status, (await answer.text()).trim()];
    }),
  );
  expect(answers).toEqual([
    [200, 'alive'],
    [200, 'ready'],
    [404, 'only /metrics, /healthz and /readyz are served'],
  ]);
  const { status, headers } = await fetch(`${metricsUrl}/metrics`, { method: 'POST' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a port without a host is announced on the loopback address', () => {
  expect(new URL(metricsUrl).hostname).toBe('127.0.0.1');
});

test('the first finding of a requirement is one line of JSON', async () => {
  await scrape();
  // The pipe may be slower than the metrics.
  await vi.waitUntil(() => output.endsWith('\n'), WAITING);
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      level: 'error',
      event: 'finding',
      requires: 'MUST',
      requirement: 'client:createChatCompletion:body.temperature#maximum',
      operation: 'createChatCompletion',
      at: 'request /temperature',
      actual: '3',
      exchange: 'e1',
    },
  ]);
});

test('neither metrics nor logs contain a secret', async () => {
  const text = await scrape();
  await vi.waitUntil(() => output.endsWith('\n'), WAITING);
  expect([text, output].filter((one) => one.includes('a-secret-key'))).toEqual([]);
});

test('the dashboard queries exactly the metrics that exist', async () => {
  const names = new Set(parseMetrics(await scrape()).map(({ name }) => name));
  const queried = listDashboardQueries().flatMap((text) => text.match(/assay_[a-z_]+/g) ?? []);
  const queriedMetrics = queried.map((name) => name.replace(/_bucket$/, ''));
  expect(queriedMetrics.filter((name) => !names.has(name))).toEqual([]);
  const own = [...names].filter((name) => name.startsWith('assay_'));
  expect(own.filter((name) => !queriedMetrics.includes(name))).toEqual([]);
});

test('no panel of the dashboard covers another or leaves the grid', () => {
  const places = readDashboard().panels.map(({ gridPos: { x, y, w, h } }) => ({
    x,
    y,
    right: x + w,
    bottom: y + h,
  }));
  expect(places).not.toEqual([]);
  for (const [n, a] of places.entries())
    for (const b of places.slice(n + 1))
      expect(a.x < b.right && b.x < a.right && a.y < b.bottom && b.y < a.bottom).toBe(false);
  expect(places.every(({ x, y, right }) => x >= 0 && y >= 0 && right <= 24)).toBe(true);
});

test('an address that is invalid or in use is rejected', async () => {
  const service = ['watch', '--base-url', reference.url, '--report-dir', join(folder, 'refused')];
  const wrong = await runAssay([...service, '--metrics', 'somewhere']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('It takes HOST:PORT')]);
  const occupied = await runAssay([...service, '--metrics', new URL(metricsUrl).host]);
  expect([occupied.code, occupied.stderr]).toEqual([2, expect.stringContaining('in use')]);
});

/** A metric family as `parse-prometheus-text-format` returns it, which has no types. */
interface MetricFamily {
  readonly name: string;
  readonly metrics: readonly {
    readonly value?: string;
    readonly labels?: Readonly<Record<string, string>>;
  }[];
}

function parseMetrics(text: string): readonly MetricFamily[] {
  const parse: unknown = createRequire(import.meta.url)('parse-prometheus-text-format');
  if (typeof parse !== 'function')
    throw new Error('parse-prometheus-text-format does not export a function.');
  return parse(text);
}
