import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { useExtensions } from '../schemas/specification.ts';
import { proveExtensions } from './prove.ts';
import { activateExtensions } from './setup/extensions-in-effect.ts';

test('with an extension, the proof leaves out the mutants and requirements of assay', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'assay-prove-'));
  onTestFinished(() => {
    useExtensions([]);
    rmSync(dir, { recursive: true });
  });
  const claims = { families: ['models'], how: 'given' } as const;
  const cassette = createCassette(join(dir, 'c'), traceHeader({ claims }));
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: [['content-type', 'application/json']] });
  const model = { id: 'm', object: 'model', created: 1_700_000_000, owned_by: 'x' };
  recording.piece(Buffer.from(JSON.stringify({ object: 'list', data: [model] })));
  await recording.end({ how: 'complete' });
  cassette.finish();
  const whole = await proveExtensions(join(dir, 'c'), 'server');
  expect(whole.requirements).toHaveProperty('model:id#type');
  copyFileSync(
    join(import.meta.dirname, '../extension/shipped/rerank/openapi.json'),
    join(dir, 'openapi.json'),
  );
  const extension = { format: 1, name: 'rerank', openapi: 'openapi.json', models: { model: 'm' } };
  writeFileSync(join(dir, 'extension.json'), JSON.stringify(extension));
  await activateExtensions([join(dir, 'extension.json')]);
  const own = await proveExtensions(join(dir, 'c'), 'server');
  expect(whole.survived).not.toEqual([]);
  expect(own).toMatchObject({ mutants: 0, killed: 0, survived: [], requirements: {} });
  const ids = own.unproved.map(({ requirement }) => requirement);
  expect(ids).not.toEqual([]);
  expect(ids.filter((id) => !id.startsWith('rerank.'))).toEqual([]);
});
