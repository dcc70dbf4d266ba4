import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { isNote } from '../exchange/trace.ts';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-odd-'));
const answerFile = join(folder, 'answer.txt');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function judgeClient(name: string, program: string, flags: readonly string[] = []) {
  const dir = join(folder, name);
  const client = ['--', process.execPath, '--input-type=module', '-e', program];
  const words = ['client', '--report', 'json', '--report-dir', dir, ...flags, ...client];
  const ended = await runAssay(words, { env: { ANSWER_FILE: answerFile } });
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  return { ...ended, dir, report };
}

const REQUEST_COUNT = inject('isThorough') ? 10_000 : 2_000;

test(`a flood of ${REQUEST_COUNT} requests is judged completely, and the mistake in the middle is found`, async () => {
  const program = `
import { Agent, request } from 'node:http';
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const send = (path) => new Promise((resolve, reject) => {
  const headers = { authorization: 'Bearer toy' };
  request(process.env.OPENAI_BASE_URL + path, { agent, headers }, (answer) => answer.resume().on('end', resolve))
    .on('error', reject)
    .end();
});
const paths = Array.from({ length: ${REQUEST_COUNT} }, (_, n) => (n === ${REQUEST_COUNT / 2} ? '/fine_tuning/jobs?limit=many' : '/models'));
let next = 0;
await Promise.all(Array.from({ length: 64 }, async () => {
  while (next < paths.length) await send(paths[next++]);
}));
agent.destroy();`;
  const { code, report, dir } = await judgeClient('flood', program);
  const broken = report.requirements.filter(({ verdict }) => verdict === 'fail');
  expect(broken.map(({ id }) => id)).toEqual(['client:listFineTuningJobs:query.limit#type']);
  expect([code, report.cost.requests]).toEqual([1, REQUEST_COUNT]);
  expect(report.usage?.find(({ subject }) => subject === 'listModels')?.requests).toBe(REQUEST_COUNT - 1);
  const { items } = await readTrace(join(dir, 'cassette'));
  expect(items.filter((item) => !isNote(item))).toHaveLength(REQUEST_COUNT);
});

test('without requests the verdict on a client is open, with advice on how to point it at the proxy', async () => {
  const { code, stderr, report } = await judgeClient('silent', '0');
  expect([code, report.summary.verdict, report.cost.requests]).toEqual([2, 'cannot-tell', 0]);
  expect(stderr).toContain('The proxy received no request');
  expect(stderr).toContain('OPENAI_BASE_URL');
});

/** The source of a program that sends bytes and stores the first line of the response in `ANSWER_FILE`. */
const programThatSends = (bytes: string) => `
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const { hostname, port } = new URL(process.env.OPENAI_BASE_URL);
const answer = await new Promise((resolve) => {
  let text = '';
  const socket = connect(Number(port), hostname, () => socket.end(Buffer.from(${JSON.stringify(bytes)}, 'latin1')));
  socket.on('data', (piece) => { text += piece; }).on('close', () => resolve(text)).on('error', () => resolve(text));
});
writeFileSync(process.env.ANSWER_FILE, answer.split('\\r\\n', 1)[0]);`;

const VALID_REQUEST = `
await (await fetch(process.env.OPENAI_BASE_URL + '/models', { headers: { authorization: 'Bearer toy' } })).text();`;

test.each([
  ['text', 'HELO service.example\r\n', 'HTTP/1.1 400 Bad Request'],
  ['TLS', '\u0016\u0003\u0001\u0000\u00f4\u0001\u0000\u0000\u00f0\u0003\u0003', 'HTTP/1.1 400 Bad Request'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  ['nothing over a connection', '', ''],
])('after a client has sent %s, its next request is judged', async (name, bytes, answer) => {
  const { code, report } = await judgeClient(
    name.replaceAll(/\W/g, '-'),
    programThatSends(bytes) + VALID_REQUEST,
  );
  expect(readFileSync(answerFile, 'utf8')).toBe(answer);
  expect([code, report.summary.verdict, report.cost.requests]).toEqual([0, 'conforms', 1]);
});

test('a client that does not speak HTTP is not judged', async () => {
  const { code, report, stderr } = await judgeClient('no-http', programThatSends('HELO\r\n'));
  expect([code, report.summary.verdict, report.cost.requests]).toEqual([2, 'cannot-tell', 0]);
  expect(stderr).toContain('The proxy received no request');
});
