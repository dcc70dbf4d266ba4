import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Exchange } from '../exchange.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote } from '../trace.ts';
import { readTrace } from './cassette.ts';
import { type CassetteWriter, createCassette } from './cassette-writer.ts';
import type { Recording } from './recording.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-interleaved-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const JSON_TYPE = ['content-type', 'application/json'] as const;

function begin(cassette: CassetteWriter, body: string): Recording {
  const headers = [JSON_TYPE, ['authorization', 'Bearer a-long-secret-key-1']] as const;
  const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers, began: 1 });
  recording.requestBody(Buffer.from(body));
  return recording;
}

async function end(recording: Recording, answer: string): Promise<Exchange> {
  const type = answer.startsWith('data:') ? (['content-type', 'text/event-stream'] as const) : JSON_TYPE;
  recording.response({ status: 200, reason: 'OK', headers: [type] });
  recording.piece(Buffer.from(answer), 1);
  const exchange = await recording.end({ how: 'complete', at: 2 });
  if (exchange === null) throw new Error('not collected');
  return exchange;
}

async function drive(cassette: CassetteWriter, steps: readonly number[], unendedCount: number) {
  const openRecordings: Recording[] = [];
  const ended: Exchange[] = [];
  const remarks: string[] = [];
  for (const step of steps) {
    const recording = openRecordings[step % Math.max(1, openRecordings.length)];
    if (step % 3 === 0 || recording === undefined) openRecordings.push(begin(cassette, `{"step":${step}}`));
    else if (step % 3 === 1) {
      remarks.push(`step ${step}`);
      cassette.note({ note: 'remark', message: `step ${step}` });
    } else {
      ended.push(await end(recording, step % 2 === 0 ? `{"step": ${step}}` : `data: {"step":${step}}\n\n`));
      openRecordings.splice(openRecordings.indexOf(recording), 1);
    }
  }
  for (const recording of openRecordings.slice(unendedCount))
    ended.push(await end(recording, `{"answer":"${'x'.repeat(20_000)}"}`));
  return { ended, remarks };
}

function simplify({ request, response, ...rest }: Exchange) {
  return {
    ...rest,
    request: { ...request, body: request.body.text },
    response: response && { ...response, body: response.body.text },
  };
}

test('the cassette holds exchanges as the recorder returned them, and notes in order, however they interleave', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 30 }), fc.nat(2), async (steps, unendedCount) => {
      const dir = join(mkdtempSync(join(root, 'c-')), 'cassette');
      const cassette = createCassette(dir, traceHeader());
      const { ended, remarks } = await drive(cassette, steps, unendedCount);
      cassette.finish();
      const { items } = await readTrace(dir);
      const exchanges = items.flatMap((item) => (isNote(item) ? [] : [item]));
      const complete = exchanges.filter((exchange) => exchange.end.how === 'complete');
      expect(complete.map(simplify)).toEqual(ended.map(simplify));
      const notes = items.filter(isNote);
      expect(notes.map((note) => 'message' in note && note.message)).toEqual(remarks);
    }),
    { numRuns: propertyRuns(40) },
  );
});
