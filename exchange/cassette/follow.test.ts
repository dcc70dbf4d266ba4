import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote, type TraceItem } from '../trace.ts';
import { JournalFollower } from './follow.ts';
import { readTrace } from './read.ts';
import { type CassetteWriter, createCassette } from './write.ts';

let dir: string;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'assay-follow-')), 'cassette');
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

const record = () => createCassette(dir, traceHeader(), { mode: 'replace' });

function begin(cassette: CassetteWriter, body: string | Buffer, headers: HeaderPairs = []) {
  const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers });
  recording.requestBody(Buffer.from(body));
  return recording;
}

async function answered(cassette: CassetteWriter, body: string, type: string, pieces: readonly string[]) {
  const recording = begin(cassette, body, [['content-type', 'multipart/form-data; boundary=----x1234']]);
  recording.response({ status: 200, reason: 'OK', headers: [['content-type', type]] });
  for (const piece of pieces) recording.piece(Buffer.from(piece));
  await recording.end({ how: 'complete' });
}

/** An item as plain data. */
function plain(item: TraceItem): unknown {
  if (isNote(item)) return item;
  const { request, response } = item;
  const of = (body: typeof request.body) => [body.size, body.sha256, body.bytes && Buffer.from(body.bytes)];
  return {
    ...item,
    request: { ...request, body: of(request.body) },
    response: response && { ...response, body: of(response.body) },
  };
}

test('tells what the finished cassette tells, whenever it is read', async () => {
  const cassette = record();
  const follower = new JournalFollower(dir);
  const heard: TraceItem[] = [];
  const hear = () => heard.push(...follower.read());
  const form = '------x1234\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n------x1234--\r\n';
  hear();
  cassette.note({ note: 'scenario-started', scenario: 'one' });
  const late = begin(cassette, 'ends last');
  await answered(cassette, form, 'application/json', ['{"a":', '1}']);
  hear();
  await answered(cassette, 'x'.repeat(300_000), 'text/event-stream', [
    'data: {"é":1}\n',
    '\ndata: [DONE]\n\n',
  ]);
  cassette.note({ note: 'remark', message: 'between' });
  expect(follower.isWhole).toBe(false);
  hear();
  await late.end({ how: 'client-abort', detail: 'left' });
  cassette.note({ note: 'scenario-ended', scenario: 'one' });
  cassette.finish();
  hear();
  follower.close();
  const { header, items } = await readTrace(dir);
  expect(follower.isWhole).toBe(true);
  expect(follower.header).toEqual(header);
  expect(heard.map(plain)).toEqual(items.map(plain));
});

test('knows that it is not all where something never ended', async () => {
  const cassette = record();
  const follower = new JournalFollower(dir);
  begin(cassette, 'never ends');
  cassette.finish();
  expect([...follower.read()]).toEqual([]);
  expect(follower.isWhole).toBe(false);
  follower.close();
});

test('follows nothing where nothing is recorded', () => {
  expect(() => new JournalFollower(dir)).toThrow('ENOENT');
});
