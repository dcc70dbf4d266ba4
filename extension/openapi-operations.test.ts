import { expect, test } from 'vitest';
import { OpenApiDocument } from './openapi-document.ts';
import { readOperations } from './openapi-operations.ts';
import { SchemaCollector } from './openapi-schemas.ts';

const read = (paths: object, servers: readonly object[] = []) => {
  const document = new OpenApiDocument('openapi.json', { paths, servers });
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

test('variables of the first server have their defaults', () => {
  const server = { url: 'https://{region}.example/{version}', variables: { version: { default: 'v1' } } };
  expect(read({ '/songs': { get: { operationId: 'listSongs' } } }, [server])[0]?.operation.path).toBe(
    '/v1/songs',
  );
});

test('a path with a query is rejected; a member of an extension of OpenAPI is no path', () => {
  const item = { get: { operationId: 'listSongs' } };
  expect(() => read({ '/v1/songs?key=C': item })).toThrow(
    'openapi.json, /v1/songs?key=C: a path cannot contain ? or #',
  );
  expect(read({ 'x-songs': item })).toEqual([]);
});

test.each(['/v1/songs/song-{id}', '/v1/songs/{id}:sing', '/v1/songs/{first}{last}', '/v1/songs/{id'])(
  'the path %s is rejected',
  (path) => {
    expect(() => read({ [path]: { get: { operationId: 'readSong' } } })).toThrow(
      `openapi.json, ${path}: braces must enclose a whole segment with a name, such as /{id}.`,
    );
  },
);

test('a response is judged by its schema if its media type has parameters', () => {
  const content = { 'application/json; charset=utf-8': { schema: { type: 'object' } } };
  const get = { operationId: 'listSongs', responses: { 200: { content } } };
  expect(read({ '/v1/songs': { get } })[0]?.operation.variants[0]?.answers).toMatchObject([
    { contentType: 'application/json', schema: 'choir.listSongs.response' },
  ]);
});
