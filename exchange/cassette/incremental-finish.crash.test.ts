import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { type CassetteWriter, createCassette } from './cassette-writer.ts';
import type { Recording } from './recording.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-ahead-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const JSON_TYPE = ['content-type', 'application/json'] as const;

function begin(cassette: CassetteWriter, body: string): Recording {
  const headers = [JSON_TYPE, ['authorization', 'Bearer a-long-secret-key-1']] as const;
  const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers, began: 1 });
  recording.requestBody(Buffer.from(body));
  return recording;
}

async function end(recording: Recording, answer: string): Promise<void> {
  const type = answer.startsWith('data:') ? (['content-type', 'text/event-stream'] as const) : JSON_TYPE;
  recording.response({ status: 200, reason: 'OK', headers: [type] });
  recording.piece(Buffer.from(answer), 1);
  await recording.end({ how: 'complete', at: 2 });
}

/** Begins and ends exchanges and adds notes as the numbers say; leaves the given number of exchanges in flight. */
async function drive(cassette: CassetteWriter, steps: readonly number[], open: number): Promise<void> {
  const begun: Recording[] = [];
  for (const step of steps) {
    const recording = begun[step % Math.max(1, begun.length)];
    if (step % 3 === 0 || recording === undefined) begun.push(begin(cassette, `{"step":${step}}`));
    else if (step % 3 === 1) cassette.note({ note: 'remark', message: `step ${step}` });
    else {
      await end(recording, step % 2 === 0 ? `{"step": ${step}}` : `data: {"step":${step}}\n\n`);
      begun.splice(begun.indexOf(recording), 1);
    }
  }
  for (const recording of begun.slice(open)) await end(recording, `{"answer":"${'x'.repeat(20_000)}"}`);
}

/** The files of a cassette by name, except the timing file. */
function files(dir: string) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'timing.jsonl')
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')])
    .toSorted();
}

test('the cassette is the one that is made of the journal, whatever has ended when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 30 }), fc.nat(2), async (steps, open) => {
      const dirs = await Promise.all(
        [true, false].map(async (ahead) => {
          const dir = mkdtempSync(join(root, 'c-'));
          const cassette = createCassette(dir, traceHeader(), { ahead });
          await drive(cassette, steps, open);
          cassette.finish();
          return dir;
        }),
      );
      const [made, usual] = dirs.map(files);
      expect(made).toEqual(usual);
    }),
    { numRuns: 40 },
  );
});

test('what has ended is written before the end, and a secret that is learned late is in none of it', async () => {
  const dir = join(root, 'c');
  const secret = 'a-key-that-nobody-knew-at-first';
  const cassette = createCassette(dir, traceHeader(), { ahead: true, redactor: new Redactor() });
  await end(begin(cassette, `{"key":"${secret}"}`), '{}');
  while (readFileSync(join(dir, 'cassette.jsonl.tmp')).length === 0) {
    await end(begin(cassette, `{"much":"${'x'.repeat(7_000)}"}`), '{}');
    await setTimeout();
  }
  const later = cassette.begin({ method: 'GET', target: '/v1/models', headers: [['api-key', secret]] });
  await end(later, '{}');
  cassette.finish();
  expect(existsSync(join(dir, 'cassette.jsonl.tmp'))).toBe(false);
  expect(JSON.stringify(files(dir))).not.toContain(secret);
});
