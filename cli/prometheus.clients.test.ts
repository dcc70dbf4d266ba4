import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findFreePort } from '../proxy/testing/free-port.ts';
import { serveReference } from '../reference/service.ts';
import { listDashboardQueries } from './testing/dashboard.ts';
import { startServing } from './testing/run-assay.ts';

const WAITING = { timeout: 30_000, interval: 10 };

const folder = mkdtempSync(join(tmpdir(), 'assay-prometheus-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

test.skipIf(!hasPrometheus)(
  'Prometheus scrapes the metrics and accepts the queries of the dashboard',
  async () => {
    const port = await findFreePort();
    const reference = await serveReference();
    const flags = ['--metrics', '0', '--log', 'json', '--report-dir', join(folder, 'report')];
    const watch = await startServing(['watch', '--base-url', reference.url, ...flags]);
    // The first line is the event `listening`.
    const { url, metrics } = JSON.parse(watch.url) as { url: string; metrics: string }; // as: our own line
    for (let n = 0; n < 4; n += 1) await (await fetch(`${url}/models`)).text();
    const config = join(folder, 'prometheus.yml');
    const targets = `static_configs: [{ targets: ['${new URL(metrics).host}'] }]`;
    writeFileSync(
      config,
      `scrape_configs: [{ job_name: assay, scrape_interval: 200ms, scrape_timeout: 200ms, ${targets} }]\n`,
    );
    const settings = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    const server = spawn('prometheus', [...settings, `--web.listen-address=127.0.0.1:${port}`], {
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const query = async (expression: string) => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const answer = await fetch(url).catch(() => null);
      return (await answer?.json().catch(() => null)) as {
        status: string;
        data: { result: { value: [number, string] }[] };
      } | null; // as: its documented form
    };
    try {
      const total = async () => (await query('sum(assay_requests_total) == 4'))?.data?.result[0]?.value[1];
      await expect.poll(total, WAITING).toBe('4');
      for (const expression of listDashboardQueries()) {
        const plain = expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
        expect([plain, (await query(plain))?.status]).toEqual([plain, 'success']);
      }
    } finally {
      server.kill('SIGTERM');
      await ended;
      await watch.stop();
      await reference.close();
    }
  },
);
