import { expect, test } from 'vitest';
import { OpenApiDocument } from './openapi-document.ts';
import { readOperations } from './openapi-operations.ts';
import { SchemaCollector } from './openapi-schemas.ts';

const read = (paths: object) => {
  const document = new OpenApiDocument('openapi.json', { paths });
  return readOperations({
    document,
    extension: 'choir',
    schemas: new SchemaCollector(document, 'choir', []),
  });
};

test('an operation whose path differs from another only in the name of a parameter is rejected', () => {
  expect(() => read({ '/v1/models/{model-id}': { get: { operationId: 'readModel' } } })).toThrow(
    'openapi.json, GET /v1/models/{model-id}: assay already has this operation: retrieveModel.',
  );
  const paths = {
    '/v1/songs/{song}': { get: { operationId: 'readSong' } },
    '/v1/songs/{song-id}': { get: { operationId: 'readSongById' } },
  };
  expect(() => read(paths)).toThrow(
    'openapi.json, GET /v1/songs/{song-id}: choir.readSong has the same method and path.',
  );
});

test('the last of two parameters with the same name and place in one operation counts', () => {
  const limit = (maximum: number) => ({ name: 'limit', in: 'query', schema: { maximum } });
  const get = { operationId: 'listSongs', parameters: [limit(5), limit(9)] };
  expect(read({ '/v1/songs': { get } })[0]?.operation.parameters).toEqual([
    { name: 'limit', in: 'query', required: false, schema: { maximum: 9 } },
  ]);
});
