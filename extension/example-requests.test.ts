import { expect, test } from 'vitest';
import type { ScenarioContext } from '../drive/scenario/scenario.ts';
import { operation } from '../schemas/index.ts';
import { makeExampleRequest } from './example-requests.ts';
import { OpenApiDocument } from './openapi-document.ts';

const context = {} as ScenarioContext; // as: these examples need no model

test('examples are found behind references', async () => {
  const components = {
    examples: { Key: { value: 'C' } },
    schemas: { Voice: { type: 'string', examples: ['alto'] }, Tempo: { type: 'integer', default: 90 } },
  };
  const createParameter = (name: string, more: object) => ({ name, in: 'query', required: true, ...more });
  const parameters = [
    createParameter('key', { examples: { usual: { $ref: '#/components/examples/Key' } } }),
    createParameter('voice', { schema: { $ref: '#/components/schemas/Voice' } }),
    createParameter('tempo', { schema: { $ref: '#/components/schemas/Tempo', default: 120 } }),
  ];
  const document = new OpenApiDocument('openapi.json', { components });
  const request = makeExampleRequest(
    document,
    { operation: operation('listModels'), definition: {}, parameters },
    [],
  );
  expect((await request?.ready(context))?.query).toEqual({ key: 'C', voice: 'alto', tempo: '120' });
});

test('only the fields that the schema of the body, or a part of it, requires are sent', async () => {
  const chat = operation('createChatCompletion');
  const definition = {
    requestBody: { content: { 'application/json': { example: { song: 'a', voice: 'b', tempo: 90 } } } },
  };
  const name = chat.variants[0]?.body?.schema ?? '';
  const schema = { required: ['song'], allOf: [{ required: ['voice'] }] };
  const document = new OpenApiDocument('openapi.json', {});
  const sing = { operation: { ...chat, id: 'choir.sing' }, definition, parameters: [] };
  const request = makeExampleRequest(document, sing, [{ name, path: '', schema }]);
  expect((await request?.ready(context))?.fields).toEqual({ song: 'a', voice: 'b' });
});

test.for([
  ['in another file', { examples: { a: { $ref: './ex/a.json' } }, schema: { type: 'string', default: 'x' } }],
  ['not an object', { examples: { a: 'y' }, schema: { type: 'string', default: 'x' } }],
] as const)('an example that is %s is left out', async ([, parameter]) => {
  const document = new OpenApiDocument('openapi.json', {});
  const parameters = [{ name: 'key', in: 'query', required: true, ...parameter }];
  const request = makeExampleRequest(
    document,
    { operation: operation('listModels'), definition: {}, parameters },
    [],
  );
  expect((await request?.ready(context))?.query).toEqual({ key: 'x' });
});

test('the default next to a reference is sent if the schema it refers to is true', async () => {
  const document = new OpenApiDocument('openapi.json', { components: { schemas: { Any: true } } });
  const schema = { $ref: '#/components/schemas/Any', default: 'x' };
  const parameters = [{ name: 'key', in: 'query', required: true, schema }];
  const list = { operation: operation('listModels'), definition: {}, parameters };
  expect((await makeExampleRequest(document, list, [])?.ready(context))?.query).toEqual({ key: 'x' });
});

test.for([[{ from: 1 }], [['a', 'b']], [null]])('%j is no example of a required parameter', ([example]) => {
  const document = new OpenApiDocument('openapi.json', {});
  const parameters = [{ name: 'key', in: 'query', required: true, example }];
  const list = { operation: operation('listModels'), definition: {}, parameters };
  expect(makeExampleRequest(document, list, [])).toBeNull();
});

test.for([
  ['header', 'X-Choir', false],
  ['cookie', 'choir', false],
  ['header', 'authorization', true],
] as const)('an operation that requires the %s %s has an example request: %s', ([place, name, expected]) => {
  const document = new OpenApiDocument('openapi.json', {});
  const parameters = [{ name, in: place, required: true, example: 'a' }];
  const request = makeExampleRequest(
    document,
    { operation: operation('listModels'), definition: {}, parameters },
    [],
  );
  expect(request !== null).toBe(expected);
});

test('an optional header field does not prevent an example request', () => {
  const document = new OpenApiDocument('openapi.json', {});
  const parameters = [{ name: 'X-Choir', in: 'header', example: 'a' }];
  const list = { operation: operation('listModels'), definition: {}, parameters };
  expect(makeExampleRequest(document, list, [])).not.toBeNull();
});
