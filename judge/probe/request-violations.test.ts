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

test('numbers and booleans in a form are written as text', async () => {
  const properties = { loud: { type: 'boolean' }, tempo: { type: 'integer' }, title: { type: 'string' } };
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
  const read = (loud: string, tempo: string) => {
    const form = Object.entries({ loud, tempo, title: 'true' }).map(([name, value]) => ({ name, value }));
    const call = Call.from(new TraceBuilder().add('choir.sing', { form }), 'Vendor-Beta');
    if (call === null) throw new Error('no operation');
    return { value: bodyOf(call)?.value, places: violationsOf(call).map(({ at }) => at) };
  };
  expect(read('true', '90')).toEqual({ value: { loud: true, tempo: 90, title: 'true' }, places: [] });
  expect(read('yes', 'fast').places).toEqual(['/loud', '/tempo']);
});
