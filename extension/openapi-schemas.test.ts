import { expect, test } from 'vitest';
import { OpenApiDocument } from './openapi-document.ts';
import { SchemaCollector } from './openapi-schemas.ts';

/** The schema of a request body, with its references inlined. */
function convertBody(body: object, schemas: object) {
  const collector = new SchemaCollector(
    new OpenApiDocument('openapi.json', { components: { schemas } }),
    'choir',
    [],
  );
  collector.nameBody(body, 'choir.sing.request');
  const { 'x-spec': _, ...schema } = collector.finish().schemas[0]?.schema ?? {};
  return schema;
}

test('in a request, keywords beside a reference apply in addition to those of its target', () => {
  const Song = { type: 'object', required: ['song'], properties: { song: { type: 'string', maxLength: 9 } } };
  const body = {
    $ref: '#/components/schemas/Song',
    required: ['voice'],
    properties: { voice: { type: 'string' } },
    allOf: [{ maxProperties: 2 }],
  };
  expect(convertBody(body, { Song })).toEqual({
    required: ['voice'],
    properties: { voice: { type: 'string' } },
    allOf: [Song, { maxProperties: 2 }],
  });
});

test('in a request, annotations beside a reference replace those of its target', () => {
  const Song = { type: 'string', description: 'any song', default: 'a' };
  const body = { $ref: '#/components/schemas/Song', description: 'the first song', maxLength: 9 };
  expect(convertBody(body, { Song })).toEqual({
    type: 'string',
    description: 'the first song',
    default: 'a',
    maxLength: 9,
  });
});
