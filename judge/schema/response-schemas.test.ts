import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadExtensions } from '../../extension/load.ts';
import { CHOIR, songDocument, writeExtension } from '../../extension/testing/choir.ts';
import { useExtensions } from '../../schemas/specification.ts';
import { responseConstraints, responseInspector, responseTrees } from './response-schemas.ts';
import { walkTree } from './walk.ts';

test('a value that breaks the type of a named schema of texts is reported once', async () => {
  const project = mkdtempSync(join(tmpdir(), 'assay-texts-'));
  onTestFinished(() => {
    useExtensions([]);
    rmSync(project, { recursive: true });
  });
  const state = { $ref: '#/components/schemas/State' };
  const document = songDocument(
    { type: 'object', properties: { state } },
    { State: { type: 'string', enum: ['sung', 'unsung'] } },
  );
  await loadExtensions([writeExtension(project, { 'extension.json': CHOIR, 'openapi.json': document })]);
  const inspector = responseInspector();
  const name = 'choir.listSongs.response';
  const brokenBy = (value: string | number) => {
    const inspected = inspector.inspect(name, { state: value }, inspector.createVisitCounts());
    const walked: string[] = [];
    walkTree(responseTrees(), name, { state: value }, { visit: () => {}, breach: (id) => walked.push(id) });
    return { inspected: inspected.map(({ id }) => id), walked };
  };
  expect(brokenBy('sung')).toEqual({ inspected: [], walked: [] });
  expect(brokenBy('lost')).toEqual({ inspected: ['choir.State:#enum'], walked: ['choir.State:#enum'] });
  expect(brokenBy(5)).toEqual({ inspected: ['choir.State:#type'], walked: ['choir.State:#type'] });
  expect(responseConstraints().has('choir.State:#type')).toBe(true);
});

test('the type of a schema that only the data of text events have is not judged', () => {
  expect(responseConstraints().has('done:#const')).toBe(true);
  expect(responseConstraints().has('done:#type')).toBe(false);
});
