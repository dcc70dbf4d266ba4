import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isObject } from '../../schemas/json.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote } from '../trace.ts';
import { openCassette, readTrace } from './cassette.ts';
import { CassetteError } from './cassette-error.ts';
import { type CassetteWriter, createCassette } from './cassette-writer.ts';
import { writeExcerpt } from './excerpt.ts';
import { finishCassette } from './finish.ts';

const header = traceHeader();

let root: string;
let dir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-damage-'));
  dir = join(root, 'c');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function record(cassette: CassetteWriter, body: string): Promise<void> {
  const recording = cassette.begin({ method: 'POST', target: '/v1/moderations', headers: [] });
  recording.requestBody(Buffer.from(body));
  recording.response({ status: 200, reason: 'OK', headers: [] });
  recording.piece(Buffer.from('{}'));
  await recording.end({ how: 'complete' });
}

async function recordCassette(): Promise<void> {
  const cassette = createCassette(dir, header);
  await record(cassette, 'one');
  await record(cassette, 'x'.repeat(10_000));
  cassette.finish();
}

async function recordInterrupted(): Promise<string> {
  const cassette = createCassette(dir, header);
  await record(cassette, 'one');
  const open = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  open.response({ status: 200, reason: 'OK', headers: [['content-type', 'text/event-stream']] });
  open.piece(Buffer.from('data: 1\n\n'));
  await record(cassette, 'two');
  cassette.close();
  return join(dir, 'journal.jsonl');
}

function rewrite(change: (text: string) => string): void {
  const lines = readFileSync(file(), 'utf8').trimEnd().split('\n');
  const close: unknown = JSON.parse(lines.pop() ?? '');
  const text = change(lines.map((line) => `${line}\n`).join(''));
  const sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(file(), `${text}${JSON.stringify({ ...(isObject(close) ? close : {}), sha256 })}\n`);
}

const file = () => join(dir, 'cassette.jsonl');
const edit = (change: (text: string) => string) =>
  writeFileSync(file(), change(readFileSync(file(), 'utf8')));

async function readEndings(): Promise<string[]> {
  const { items } = await readTrace(dir);
  return items.map((item) => (isNote(item) ? item.note : `${item.id} ${item.end.how}`));
}

describe('after a recorder was killed', () => {
  test('the received part of the exchange in flight and all other exchanges are kept', async () => {
    await recordInterrupted();
    expect(await readEndings()).toEqual(['e1 complete', 'e3 complete', 'e2 recorder-killed']);
    const { items } = await readTrace(dir);
    expect(items[2]).toMatchObject({ after: 1, ended: 3, response: { body: { text: 'data: 1\n\n' } } });
    expect(readdirSync(dir)).toEqual(['journal.jsonl']);
    finishCassette(dir);
    expect(readdirSync(dir).toSorted()).toEqual(['cassette.jsonl', 'timing.jsonl']);
    expect(await readEndings()).toEqual(['e1 complete', 'e3 complete', 'e2 recorder-killed']);
  });

  test('the exchange in flight ends at the time of its last event, even one without bytes', async () => {
    const cassette = createCassette(dir, header);
    const open = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
    open.response({ status: 200, reason: 'OK', headers: [['content-type', 'text/event-stream']] });
    open.piece(Buffer.from('data: 1\n\n'), 5);
    open.piece(Buffer.from(''), 9);
    cassette.close();
    finishCassette(dir);
    const { items } = await readTrace(dir);
    expect(items).toMatchObject([
      { response: { pieces: [{ offset: 0, at: 5 }] }, end: { how: 'recorder-killed', at: 9 } },
    ]);
  });

  test('an incomplete last line is dropped', async () => {
    const journal = await recordInterrupted();
    const complete = readFileSync(journal);
    for (let size = complete.length - 1; size > 0; size -= 61) {
      rmSync(dir, { recursive: true });
      await recordInterrupted();
      truncateSync(journal, size);
      // Read again, because times, and so the lengths of lines, differ between recordings.
      const lines = readFileSync(journal, 'latin1').split('\n').slice(0, -1);
      finishCassette(dir);
      const requests = lines.filter((line) => line.includes('"e":"request"'));
      if (lines.length > 0) expect(await readEndings()).toHaveLength(requests.length);
      else await expect(readTrace(dir)).rejects.toThrow(/does not contain a cassette/);
    }
  });

  test('a cassette that it was finishing can be finished again', async () => {
    const journal = await recordInterrupted();
    const content = readFileSync(journal);
    finishCassette(dir);
    const before = readFileSync(file(), 'utf8');
    writeFileSync(journal, content);
    writeFileSync(`${file()}.tmp`, 'half');
    finishCassette(dir);
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(readdirSync(dir).toSorted()).toEqual(['cassette.jsonl', 'timing.jsonl']);
  });

  test('additions of which only the times are in place are read and finished', async () => {
    await recordCassette();
    const before = readFileSync(file());
    const additions = createCassette(dir, header, { mode: 'append' });
    await record(additions, 'three');
    additions.close();
    const journal = readFileSync(join(dir, 'journal.jsonl'));
    finishCassette(dir);
    const finished = readFileSync(file(), 'utf8');
    writeFileSync(file(), before);
    writeFileSync(join(dir, 'journal.jsonl'), journal);
    expect(await readEndings()).toEqual(['e1 complete', 'e2 complete', 'e3 complete']);
    finishCassette(dir);
    expect(readFileSync(file(), 'utf8')).toBe(finished);
    expect(await readEndings()).toEqual(['e1 complete', 'e2 complete', 'e3 complete']);
  });

  test('the next recorder takes over its lock', async () => {
    await recordInterrupted();
    writeFileSync(join(dir, 'lock'), '999999999 1\n');
    const next = createCassette(dir, header, { mode: 'append' });
    await record(next, 'more');
    next.finish();
    expect(await readEndings()).toHaveLength(4);
  });
});

describe('a journal next to a finished cassette', () => {
  const headerOnly = { e: 'header', continues: 0, ...header };
  let warnings: string[];
  const collectWarning = ({ message }: Error) => warnings.push(message);
  beforeEach(async () => {
    await recordCassette();
    warnings = [];
    process.on('warning', collectWarning);
  });
  afterEach(() => process.off('warning', collectWarning));
  const waitForWarnings = () => new Promise(setImmediate);

  test('that has only a header neither hides it nor is reported, and recovery removes only the journal', async () => {
    writeFileSync(join(dir, 'journal.jsonl'), `${JSON.stringify(headerOnly)}\n`);
    const before = readFileSync(file(), 'utf8');
    expect(await readEndings()).toEqual(['e1 complete', 'e2 complete']);
    await waitForWarnings();
    expect(warnings).toEqual([]);
    finishCassette(dir);
    expect(existsSync(join(dir, 'journal.jsonl'))).toBe(false);
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(await readEndings()).toEqual(['e1 complete', 'e2 complete']);
  });

  test('of another recording does not hide it, is reported, and survives recovery', async () => {
    rmSync(dir, { recursive: true });
    const journal = await recordInterrupted();
    const lines = readFileSync(journal, 'utf8');
    rmSync(dir, { recursive: true });
    await recordCassette();
    writeFileSync(journal, lines);
    expect(await readEndings()).toEqual(['e1 complete', 'e2 complete']);
    await waitForWarnings();
    expect(warnings).toEqual([
      expect.stringMatching(/journal\.jsonl does not continue the finished cassette/),
    ]);
    expect(() => finishCassette(dir)).toThrow(/does not continue the finished cassette.*Remove it/);
    expect(readFileSync(journal, 'utf8')).toBe(lines);
    expect(await readEndings()).toEqual(['e1 complete', 'e2 complete']);
  });

  test('that is damaged does not hide it, and is reported', async () => {
    writeFileSync(join(dir, 'journal.jsonl'), `${JSON.stringify(headerOnly)}\n{"i":1,"e":"request"}\n`);
    expect(await readEndings()).toEqual(['e1 complete', 'e2 complete']);
    await waitForWarnings();
    expect(warnings).toEqual([expect.stringMatching(/journal\.jsonl:2 is not a line of a journal/)]);
  });
});

describe('a journal', () => {
  test.each([
    '{"i":1,"e":"request"}',
    '{"i":1,"e":"request","after":0,"began":1,"scenario":null,"probe":null,"method":"GET","target":5,"headers":[],"boundary":null}',
    '{"e":"note","after":0,"note":"remark"}',
    '{"i":1}',
    '[]',
  ])('is rejected with file and line: %s', async (line) => {
    mkdirSync(dir);
    writeFileSync(
      join(dir, 'journal.jsonl'),
      `${JSON.stringify({ e: 'header', continues: 0, ...header })}\n${line}\n`,
    );
    for (const read of [() => readTrace(dir), async () => finishCassette(dir)]) {
      const error: unknown = await read().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(CassetteError);
      expect(String(error)).toContain('journal.jsonl:2 is not a line of a journal');
    }
  });

  test('is rejected if a body differs in size from its line', async () => {
    const journal = await recordInterrupted();
    const lines = readFileSync(journal, 'utf8');
    writeFileSync(
      journal,
      lines.replace('"e":"request-body","size":3', '"e":"request-body","size":99999999999'),
    );
    await expect(readTrace(dir)).rejects.toThrow(/journal\.jsonl:\d is not a line of a journal/);
  });

  test('is rejected with file and line if a line is cut short', async () => {
    const journal = await recordInterrupted();
    const [first, second = '', ...rest] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, [first, second.slice(0, 50), ...rest].join('\n'));
    await expect(readTrace(dir)).rejects.toThrow(/journal\.jsonl:2 is not a line of a journal/);
  });

  test('is rejected, and kept, if it lacks the lines of an exchange', async () => {
    const journal = await recordInterrupted();
    const lines = readFileSync(journal, 'utf8').replaceAll(/^\{"i":1,.*\n/gm, '');
    writeFileSync(journal, lines);
    const pattern = /journal\.jsonl:2 does not begin the next exchange\. .*; restore it, or record again\.$/;
    await expect(readTrace(dir)).rejects.toThrow(pattern);
    expect(() => finishCassette(dir)).toThrow(pattern);
    expect(readdirSync(dir)).toEqual(['journal.jsonl']);
    expect(readFileSync(journal, 'utf8')).toBe(lines);
  });

  test('is read if the digest of a secret is damaged', async () => {
    const journal = await recordInterrupted();
    appendFileSync(journal, '{"e":"secret","length":12,"checksum":1,"salt":5,"digest":"x"}\n');
    expect(await readEndings()).toHaveLength(3);
  });

  test('is an empty cassette if it has only a header', async () => {
    mkdirSync(dir);
    const journal = `${JSON.stringify({ e: 'header', continues: 0, ...header })}\n`;
    writeFileSync(join(dir, 'journal.jsonl'), journal);
    expect(await readEndings()).toEqual([]);
    finishCassette(dir);
    expect(await readEndings()).toEqual([]);
  });
});

test.each([
  ['lacks a field', '"of":"e1",', '', '2 is not a note that this version of assay can read'],
  ['is unknown', '"note":"retry"', '"note":"of-another-build"', '2 is not a note that'],
  ['has a field of another type', '"size":3', '"size":"3"', '3: exchange e1: its line 2 is not a line'],
])('a cassette with a line that %s is rejected with the place and what to do', async (_, from, to, says) => {
  const cassette = createCassette(dir, header);
  cassette.note({ note: 'retry', exchange: 'e2', of: 'e1', repeat: { why: 'closed', detail: null } });
  await record(cassette, 'one');
  cassette.finish();
  rewrite((text) => text.replace(from, to));
  const error: unknown = await readTrace(dir).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CassetteError);
  expect(String(error)).toContain(`cassette.jsonl:${says}`);
  expect(String(error)).toMatch(/\. Restore it from version control, or record again\.$/);
});

test('a request line with a member of another type is rejected with its place', async () => {
  await recordCassette();
  rewrite((text) => text.replace('"method":"POST"', '"method":5'));
  const cassette = await openCassette(dir);
  expect(() => cassette.request(0)).toThrow(/cassette\.jsonl:2: exchange e1: its line 1 is not a line/);
  cassette.close();
});

test('the place of a damaged form is stated once', async () => {
  const cassette = createCassette(dir, header);
  const headers = [['Content-Type', 'multipart/form-data; boundary=----WebKitFormBoundaryABCDEF']] as const;
  const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers });
  recording.requestBody(Buffer.from('------WebKitFormBoundaryABCDEF--\r\n'));
  await recording.end({ how: 'client-abort' });
  cassette.finish();
  rewrite((text) => text.replace('"size":34', '"size":35'));
  await expect(readTrace(dir)).rejects.toThrow(
    /^\S+:2: exchange e1: the request body has 34 bytes instead of 35/,
  );
});

test('a timing line with a member of another type is rejected with its place by every reader', async () => {
  await recordCassette();
  const timing = join(dir, 'timing.jsonl');
  writeFileSync(timing, readFileSync(timing, 'utf8').replace(/"end":[\d.]+/, '"end":"soon"'));
  const cassette = await openCassette(dir, { replay: true });
  for (const read of [() => cassette.answer(0), () => cassette.exchange(0), () => cassette.timing(0)])
    expect(read).toThrow(/timing\.jsonl:2 is not the timing of e1\. Restore or delete the file/);
  cassette.close();
});

test('an excerpt that cannot be completed leaves no file', async () => {
  await recordCassette();
  const cassette = await openCassette(dir);
  rmSync(join(dir, 'blobs'), { recursive: true });
  const excerpt = join(root, 'excerpt');
  expect(() => writeExcerpt(cassette, excerpt, { indexes: [0, 1], notes: [] })).toThrow(/is missing/);
  cassette.close();
  const left = readdirSync(excerpt, { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile())).toEqual([]);
});

test('a base URL of another type in the timing file is ignored', async () => {
  await recordCassette();
  const timing = join(dir, 'timing.jsonl');
  writeFileSync(timing, readFileSync(timing, 'utf8').replace(/"baseUrl":"[^"]*"/, '"baseUrl":5'));
  expect((await readTrace(dir)).header.target.baseUrl).toBe('http://127.0.0.1/v1');
});

describe('reading a cassette throws if it', () => {
  const expectError = (pattern: RegExp) => expect(readTrace(dir)).rejects.toThrow(pattern);
  beforeEach(recordCassette);

  test('is truncated', async () => {
    truncateSync(file(), readFileSync(file()).length - 20);
    await expectError(/cassette\.jsonl:\d+ is not the closing line.*Restore/);
  });

  test('was truncated at the end of a line', async () => {
    edit((text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
    await expectError(/is not the closing line.*Restore/);
  });

  test('is empty', async () => {
    writeFileSync(file(), '');
    await expectError(/cassette\.jsonl is empty\. Restore it/);
  });

  test('was changed', async () => {
    edit((text) => text.replace('"one"', '"two"'));
    await expectError(/was changed after it was recorded.*Restore/);
  });

  test('continues after its closing line', async () => {
    appendFileSync(file(), '{"e":"note","after":9}\n');
    await expectError(/Restore/);
  });

  test('has a closing line without counts', async () => {
    edit((text) => text.replace(/^\{"e":"close".*$/m, '{"e":"close"}'));
    await expectError(/cassette\.jsonl:\d+ is not the closing line.*Restore/);
  });

  test('was merged with conflicts', async () => {
    edit((text) => text.replace('{"e":"body"', '<<<<<<< ours\n{"e":"body"'));
    await expectError(/cassette\.jsonl:3 is a merge conflict marker.*take one side/);
  });

  test('lacks a line', async () => {
    edit((text) => text.replace(/\{"e":"request","i":2.*\n/, ''));
    await expectError(/Restore/);
  });

  test('has a newer format', async () => {
    edit((text) => text.replace('"format":1', '"format":2'));
    await expectError(/cassette\.jsonl:1 is of format 2; this version reads format 1/);
  });

  test('has a header without a format', async () => {
    edit((text) => text.replace('"format":1,', ''));
    await expectError(/cassette\.jsonl:1 is not the header of a cassette/);
  });

  test('is another kind of file', async () => {
    writeFileSync(file(), '\x00\x01 not lines at all\n{"e":"close"}\n');
    await expectError(/Restore/);
  });

  test('lacks a blob', async () => {
    rmSync(join(dir, 'blobs'), { recursive: true });
    await expectError(/cassette\.jsonl:\d+: exchange e2: .* is missing\. Restore/);
  });

  test('has a blob that was changed', async () => {
    const [blob = ''] = readdirSync(join(dir, 'blobs'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.length > 60,
    );
    writeFileSync(join(dir, 'blobs', blob), 'y'.repeat(10_000));
    const { items } = await readTrace(dir);
    const [, second] = items;
    expect(() => second && !isNote(second) && second.request.body.text).toThrow(/its digest is not its name/);
  });

  test('has a line of timings too many', async () => {
    appendFileSync(join(dir, 'timing.jsonl'), '{"i":3}\n');
    await expectError(/timing\.jsonl does not fit its cassette of 2 exchanges.*delete it/);
  });

  test('does not exist', async () => {
    rmSync(dir, { recursive: true });
    await expectError(/does not contain a cassette/);
  });

  test('is a link to a folder without one', async () => {
    rmSync(dir, { recursive: true });
    mkdirSync(join(root, 'empty'));
    symlinkSync(join(root, 'empty'), dir);
    await expectError(/does not contain a cassette/);
  });

  test('is expected below a file', async () => {
    await expect(readTrace(join(file(), 'c'))).rejects.toThrow(/does not contain a cassette/);
  });
});
