// Targets that refuse valid requests for no reason in these: the diagnosis says when they refuse, and names no wrong cause.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { modelRoles } from '../reference/model/catalogue.ts';
import { startReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-refusing-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Milliseconds before the service answers. */
const LATENCY = 25;

/** What a service knows about a request when it decides. */
interface Arrival {
  /** From 1. */
  readonly ordinal: number;
  readonly isRepeated: boolean;
  /** Other requests that it has not answered yet. */
  readonly beside: number;
}

/** A service before another one. Chat requests are refused by the rule; all others pass. */
async function refusing(upstream: string, rule: (arrival: Arrival) => boolean) {
  const seen = new Set<string>();
  const counts = { arrived: 0, open: 0 };
  const server = createServer((incoming, outgoing) => {
    void bodyOf(incoming).then((body) => {
      const letter = `${incoming.method} ${incoming.url} ${body.toString('latin1')}`;
      counts.arrived += 1;
      const arrival = { ordinal: counts.arrived, isRepeated: seen.has(letter), beside: counts.open };
      seen.add(letter);
      counts.open += 1;
      outgoing.on('close', () => (counts.open -= 1));
      const isRefused = rule(arrival);
      // A model takes its time, also to refuse, so that the load of the service is the load that the client sees.
      setTimeout(() => {
        if (!isRefused) forward(upstream, incoming, outgoing, body);
        else
          outgoing.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"No."}}');
      }, LATENCY);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has one
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/v1`, close };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

function forward(upstream: string, incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
  const { method, headers, url = '/' } = incoming;
  const forwarded = request(new URL(url, upstream), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  forwarded.end(body);
}

async function reportOf(name: string, rule: (arrival: Arrival) => boolean, ...flags: string[]) {
  const dir = join(folder, name);
  const reference = await startReference({ pace: 5 });
  const target = await refusing(reference.url, rule);
  const roles = Object.entries(modelRoles).flatMap(([role, model]) => ['--model', `${role}=${model}`]);
  const where = ['--base-url', target.url, '--claim', 'chat,completions', ...roles];
  const { code, stdout } = await runAssay([
    'run',
    ...where,
    '--report',
    'terminal,json',
    '--report-dir',
    dir,
    ...flags,
  ]);
  await Promise.all([target.close(), reference.close()]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  return { code, stdout, causes: (report.diagnoses ?? []).map(({ message }) => message), report };
}

test('everything', async () => {
  const { code, stdout, causes, report } = await reportOf('everything', () => true);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses every request: (\d+) of \1; none shows that the key, the models and the files are good$/,
    ),
  ]);
  // Nothing shows that the requests are good, so the cause breaks nothing itself.
  expect(
    report.requirements.filter(({ id, verdict }) => id.endsWith(':accepts') && verdict === 'fail'),
  ).toEqual([]);
  expect(stdout.match(/^FAIL {2}.*/gm)).toEqual(['FAIL  createChatCompletion:accepts#everything']);
});

test('every third request', async () => {
  const { code, causes } = await reportOf('third', ({ ordinal }) => ordinal > 3 && ordinal % 3 === 0);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(/^refuses 1 of 3 at random: \d+ of \d+ requests, equal ones among them$/),
  ]);
});

// Service and client count the requests under way at different instants: on a slow machine too many of them differ to distinguish
// load from chance. No property of the requests may be named.
test('under load alone', async () => {
  const { code, causes } = await reportOf('load', ({ beside }) => beside >= 1, '--concurrency', '2');
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses (requests while [14] or more others are under way: \d+ of \d+ requests with it, \d+ of \d+ without|\d+ of \d+ at random: \d+ of \d+ requests, .*)$/,
    ),
  ]);
});

// Equal requests that overlap have no order, so some of them may be counted on the other side.
test('each request that was sent before', async () => {
  const { code, causes } = await reportOf('again', ({ isRepeated, ordinal }) => ordinal > 3 && isRepeated);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses a request that was sent before: \d+ of \d+ requests with it, \d+ of \d+ without$/,
    ),
  ]);
});
