import { expect, test } from 'vitest';
import { OpenApiDocument } from './openapi-document.ts';
import { SchemaCollector } from './openapi-schemas.ts';

function convertBodyWithExclusions(body: object, schemas: object) {
  const collector = new SchemaCollector(
    new OpenApiDocument('openapi.json', { components: { schemas } }),
    'choir',
    [],
  );
  collector.addBody(body, 'choir.sing.request');
  const { schemas: files, unjudged } = collector.finish();
  const { 'x-spec': _, ...schema } = files[0]?.schema ?? {};
  return { schema, unjudged: unjudged.map(({ id }) => id) };
}

const convertBody = (body: object, schemas: object) => convertBodyWithExclusions(body, schemas).schema;

test('in a request, keywords next to a reference apply in addition to those of its target', () => {
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

test('in a request, annotations next to a reference replace those of its target', () => {
  const Song = { type: 'string', description: 'any song', default: 'a' };
  const body = { $ref: '#/components/schemas/Song', description: 'the first song', maxLength: 9 };
  expect(convertBody(body, { Song })).toEqual({
    type: 'string',
    description: 'the first song',
    default: 'a',
    maxLength: 9,
  });
});

test('in a request, x-expected and x-greater-than next to a reference do not replace those of its target', () => {
  const Song = { type: 'object', properties: { n: { type: 'integer' } }, 'x-expected': ['n'] };
  const body = { $ref: '#/components/schemas/Song', 'x-expected': ['voice'] };
  expect(convertBody(body, { Song })).toEqual({ 'x-expected': ['voice'], allOf: [Song] });
  const Count = { type: 'integer', 'x-greater-than': 'a' };
  const count = { $ref: '#/components/schemas/Count', 'x-greater-than': 'b' };
  expect(() => convertBody({ properties: { count } }, { Count })).toThrow('two values of x-greater-than');
});

const TEXT_OR_COUNT = { oneOf: [{ type: 'string' }, { type: 'integer' }] };
const TEXT_OR_NULL = { oneOf: [{ type: 'string' }, { type: 'null' }] };

test('in a request, a union next to a reference to a union is not judged', () => {
  const body = { $ref: '#/components/schemas/U', ...TEXT_OR_NULL };
  expect(convertBodyWithExclusions(body, { U: TEXT_OR_COUNT })).toEqual({
    schema: TEXT_OR_COUNT,
    unjudged: ['choir.sing.request:#oneOf'],
  });
});

test('in a request, a union is not judged in a property that has one in the target of a reference', () => {
  const Song = { type: 'object', properties: { song: TEXT_OR_COUNT } };
  const song = { anyOf: TEXT_OR_NULL.oneOf, description: 'the first' };
  const body = { $ref: '#/components/schemas/Song', properties: { song } };
  expect(convertBodyWithExclusions(body, { Song })).toEqual({
    schema: { properties: { song: { description: 'the first' } }, allOf: [Song] },
    unjudged: ['choir.sing.request:song#anyOf'],
  });
});

test('in a request, a branch of a union may have a union in a property that has one elsewhere', () => {
  const branch = (kind: string) => ({
    type: 'object',
    properties: { kind: { const: kind }, song: TEXT_OR_COUNT },
  });
  const body = { oneOf: [branch('a'), branch('b')], discriminator: { propertyName: 'kind' } };
  const { schema, unjudged } = convertBodyWithExclusions(body, {});
  expect(unjudged).toEqual([]);
  expect(schema).toMatchObject({ oneOf: [branch('a'), branch('b')] });
});

test('in a request, a union of tagged objects may be a branch beside null', () => {
  const song = (kind: string) => ({ type: 'object', properties: { kind: { const: kind, type: 'string' } } });
  const Song = { oneOf: [song('a'), song('b')], discriminator: { propertyName: 'kind' } };
  const body = { properties: { song: { anyOf: [{ $ref: '#/components/schemas/Song' }, { type: 'null' }] } } };
  expect(convertBodyWithExclusions(body, { Song })).toEqual({
    schema: { properties: { song: { oneOf: [Song, { type: 'null' }] } } },
    unjudged: [],
  });
});

test('a union is not judged if two of its branches have the same tag', () => {
  const branch = (kind: string, field: string) => ({
    properties: { kind: { const: kind } },
    required: [field],
  });
  const branches = [branch('a', 'song'), branch('a', 'voice')];
  const body = { properties: { part: { anyOf: branches, discriminator: { propertyName: 'kind' } } } };
  expect(convertBodyWithExclusions(body, {})).toEqual({
    schema: { properties: { part: {} } },
    unjudged: ['choir.sing.request:part#anyOf'],
  });
});

test('a keyword that applies only to what prefixItems or patternProperties leaves is not judged', () => {
  const [text, count] = [{ type: 'string' }, { type: 'integer' }];
  const list = { type: 'array', prefixItems: [text], items: count };
  const map = { type: 'object', patternProperties: { '^x': text }, additionalProperties: count };
  expect(convertBodyWithExclusions({ properties: { list, map } }, {})).toEqual({
    schema: { properties: { list: { type: 'array' }, map: { type: 'object' } } },
    unjudged: ['list#prefixItems', 'list#items', 'map#patternProperties', 'map#additionalProperties'].map(
      (place) => `choir.sing.request:${place}`,
    ),
  });
});

test('the schema false is listed as unjudged, like the equivalent not', () => {
  const body = { properties: { song: false, list: { items: false } } };
  expect(convertBodyWithExclusions(body, {})).toEqual({
    schema: { properties: { song: {}, list: { items: {} } } },
    unjudged: ['choir.sing.request:song#not', 'choir.sing.request:list.[]#not'],
  });
});

test('a union in a nested property is not judged if a property with a dot in its name has the same path', () => {
  const nested = { type: 'object', properties: { song: TEXT_OR_COUNT } };
  const body = { properties: { 'first.song': TEXT_OR_NULL, first: nested } };
  expect(convertBodyWithExclusions(body, {})).toEqual({
    schema: {
      properties: { 'first.song': TEXT_OR_NULL, first: { type: 'object', properties: { song: {} } } },
    },
    unjudged: ['choir.sing.request:first.song#oneOf'],
  });
});

test.each(['type', 'required'])(
  'properties whose constraints (%s) would have the same id are rejected',
  (keyword) => {
    const song = keyword === 'type' ? { type: 'string' } : {};
    const required = (name: string) => (keyword === 'type' ? {} : { required: [name] });
    const first = { properties: { song }, ...required('song') };
    const body = { properties: { 'first.song': song, first }, ...required('first.song') };
    expect(() => convertBody(body, {})).toThrow(
      `openapi.json, choir.sing.request: two properties have the path first.song; rename one of them`,
    );
  },
);

test('in a response, keywords next to a reference apply, and annotations keep the name of its target', () => {
  const Song = { type: 'object' };
  const document = new OpenApiDocument('openapi.json', { components: { schemas: { Song } } });
  const collector = new SchemaCollector(document, 'choir', []);
  const $ref = '#/components/schemas/Song';
  expect(collector.addResponse({ $ref, description: 'a song', deprecated: true }, 'choir.a')).toBe(
    'choir.Song',
  );
  expect(collector.addResponse({ $ref, required: ['song'] }, 'choir.b')).toBe('choir.b');
  expect(collector.finish().schemas).toMatchObject([
    { name: 'choir.Song', schema: Song },
    { name: 'choir.b', schema: { $ref: './choir.Song.json', required: ['song'] } },
  ]);
});

test('schemas that would have the same name are rejected', () => {
  const schemas = { 'sing.response': { type: 'string' } };
  const document = new OpenApiDocument('openapi.json', { components: { schemas } });
  const collector = new SchemaCollector(document, 'choir', []);
  collector.addResponse({ type: 'object' }, 'choir.sing.response');
  const $ref = '#/components/schemas/sing.response';
  expect(() => collector.addResponse({ $ref }, 'choir.find.response')).toThrow(
    'openapi.json, choir.sing.response: two schemas would have this name; rename one of them.',
  );
});

test('a parameter with an invalid schema is rejected', () => {
  const collector = new SchemaCollector(new OpenApiDocument('openapi.json', {}), 'choir', []);
  expect(() => collector.convertParameter({ type: 'integer', minimum: '1' }, 'choir.sing:tempo')).toThrow(
    'openapi.json, choir.sing:tempo: the schema is not valid: at /minimum it must be number.',
  );
});

test('a union that is one of its own branches is not judged', () => {
  const Song = { oneOf: [{ $ref: '#/components/schemas/Song' }, { type: 'string' }] };
  expect(convertBodyWithExclusions({ $ref: '#/components/schemas/Song' }, { Song })).toEqual({
    schema: {},
    unjudged: ['choir.sing.request:#oneOf'],
  });
});
