// Makes the extension `choir` for tests: an extension file and a document with one operation.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CHOIR = { format: 1, name: 'choir', openapi: 'openapi.json' };

export function writeExtension(project: string, files: Readonly<Record<string, string | object>>): string {
  const parent = join(project, 'extensions');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'choir-'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, 'extension.json');
}

export function successResponse(schema: object) {
  return { responses: { '200': { description: '', content: { 'application/json': { schema } } } } };
}

export function songDocument(schema: object, schemas: object = {}, more: object = {}) {
  return {
    openapi: '3.1.0',
    info: { title: 'Choir', version: '1' },
    paths: { '/v1/songs': { get: { operationId: 'listSongs', ...successResponse(schema), ...more } } },
    components: { schemas },
  };
}
