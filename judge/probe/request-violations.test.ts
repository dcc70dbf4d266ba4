import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadExtensions } from '../../extension/load.ts';
import { CHOIR, writeExtension } from '../../extension/testing/choir.ts';
import { useExtensions } from '../../schemas/specification.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { bodyOf, violationsOf } from './request-violations.ts';

test('text in a form is judged as the number or boolean that it denotes if the schema has that type', async () => {
  const integer = { type: 'integer' };
  const properties = {
    loud: { type: 'boolean' },
    tempo: integer,
    title: { type: 'string' },
    bars: { type: 'array', items: integer },
  };
  const schema = { type: 'object', properties };
  const post = {
    operationId: 'sing',
    requestBody: { content: { 'multipart/form-data': { schema } } },
    responses: { '204': { description: '' } },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Choir', version: '1' },
    paths: { '/v1/songs': { post } },
  };
  const project = mkdtempSync(join(tmpdir(), 'assay-form-'));
  onTestFinished(() => {
    useExtensions([]);
    rmSync(project, { recursive: true });
  });
  await loadExtensions([writeExtension(project, { 'extension.json': CHOIR, 'openapi.json': document })]);
  const read = (loud: string, tempo: string, ...bars: readonly string[]) => {
    const form = [
      ...Object.entries({ loud, tempo, title: 'true' }).map(([name, value]) => ({ name, value })),
      ...bars.map((value) => ({ name: 'bars', value })),
    ];
    const call = Call.from(new TraceBuilder().add('choir.sing', { form }), 'Vendor-Beta');
    if (call === null) throw new Error('no operation');
    return { value: bodyOf(call)?.value, places: violationsOf(call).map(({ at }) => at) };
  };
  const value = { loud: true, tempo: 90, title: 'true' };
  expect(read('true', '90')).toEqual({ value, places: [] });
  expect(read('true', '90', '3')).toEqual({ value: { ...value, bars: [3] }, places: [] });
  expect(read('true', '90', '3', '4')).toEqual({ value: { ...value, bars: [3, 4] }, places: [] });
  expect(read('yes', 'fast', 'x').places).toEqual(['/loud', '/tempo', '/bars/0']);
});
