import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  matchAlternativePath,
  matchOperation,
  operation,
  operations,
  schema,
  UnknownOperation,
} from './index.ts';

describe('the table of operations', () => {
  test('has the 63 operations of the specification, in 68 variants', () => {
    const counted = operations().flatMap(({ variants }) => variants.filter((variant) => variant.counted));
    expect(operations()).toHaveLength(63);
    expect(counted).toHaveLength(68);
    expect(new Set(operations().map(({ id }) => id)).size).toBe(63);
  });

  test.each(operations())(
    '$id names its path parameters, its responses and schemas that exist',
    ({ path, parameters, variants }) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const pathParameters = parameters.filter((parameter) => parameter.in === 'path');
      expect(pathParameters.map(({ name }) => name)).toEqual(inPath);
      expect(pathParameters.filter(({ required }) => !required)).toEqual([]);
      for (const { body, answers } of variants) {
        expect(answers.length).toBeGreaterThan(0);
        const names = answers.flatMap((answer) => [answer.schema ?? [], Object.values(answer.events ?? {})]);
        for (const name of [body?.schema ?? [], names].flat(3)) expect(schema(name)).toBeDefined();
      }
    },
  );

  test('reads from the parameters how a list is paged', () => {
    expect(operation('listBatches').list).toEqual({
      scope: 'organization',
      cursors: ['after'],
      order: false,
      defaultLimit: 20,
      maxLimit: 100,
      filters: [],
      make: Number.POSITIVE_INFINITY,
    });
    expect(operation('listFiles').list).toMatchObject({
      cursors: [],
      defaultLimit: null,
      filters: ['purpose'],
    });
    expect(operation('retrieveFile').list).toBeNull();
  });

  test('distinguishes responses by the request', () => {
    const [chat] = operation('createChatCompletion').variants;
    expect(chat?.answers).toEqual([
      {
        contentType: 'application/json',
        schema: 'chat.completion',
        events: null,
        when: { stream: [false, null] },
      },
      {
        contentType: 'text/event-stream',
        schema: null,
        events: { '': 'chat.completion.chunk' },
        when: { stream: [true] },
      },
    ]);
    const [transcription] = operation('createTranscription').variants;
    expect(transcription?.answers.map((answer) => [answer.schema, answer.when?.['response_format']])).toEqual(
      [
        ['transcription', ['json']],
        ['transcription.verbose', ['verbose_json']],
        [null, ['text', 'srt', 'vtt']],
      ],
    );
  });

  test('reads the carrier and the schema of a body', () => {
    expect(operation('createTranscription').variants[0]?.body).toEqual({
      carrier: 'multipart',
      schema: 'createTranscription',
      required: true,
    });
  });

  test('rejects an unknown operation', () => {
    expect(() => operation('createEmbedding')).toThrow(UnknownOperation);
  });
});

describe('matching a request to its operation', () => {
  test('any id in any path is returned unchanged', () => {
    const id = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.constantFrom(...operations()), fc.infiniteStream(id), (expected, ids) => {
        const pathParameters = expected.parameters.filter((parameter) => parameter.in === 'path');
        const names = pathParameters.map(({ name }) => name);
        const values = Object.fromEntries(names.map((name) => [name, String(ids.next().value)]));
        // A thread may not have the name of the fixed path next to it.
        fc.pre(!Object.values(values).includes('runs'));
        const path = expected.path.replace(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent(values[name] ?? ''),
        );
        expect(matchOperation(expected.method, path)).toEqual({ operation: expected, path: values });
      }),
    );
  });

  test.each([
    ['POST', '/v1/threads/runs', 'createThreadAndRun'],
    ['POST', '/v1/threads/thread_1', 'modifyThread'],
    ['GET', '/v1/threads/runs', 'retrieveThread'],
    ['GET', '/v1/models/100%', 'retrieveModel'],
    ['POST', '/v1/vector_stores/vs_1/file_batches', 'createVectorStoreFileBatch'],
    ['GET', '/v1/vector_stores/vs_1/files_batches/b_1', 'retrieveVectorStoreFileBatch'],
  ])('%s %s is %s', (method, path, id) => {
    expect(matchOperation(method, path)?.operation.id).toBe(id);
  });

  test.each([
    ['PUT', '/v1/files'],
    ['GET', '/v1/files/'],
    ['GET', '/files'],
    ['GET', '/v1/embeddings'],
    ['GET', '/v1/files/file-1/content/more'],
    ['GET', ''],
  ])('%s %s is not an operation', (method, path) => {
    expect(matchOperation(method, path)).toBeNull();
  });

  test.each([
    ['POST', '/v1/vector_stores/vs_1/files_batches', 'createVectorStoreFileBatch'],
    ['GET', '/v1/vector_stores/vs_1/file_batches/b_1', 'retrieveVectorStoreFileBatch'],
    ['POST', '/v1/vector_stores/vs_1/file_batches/b_1/cancel', 'cancelVectorStoreFileBatch'],
    ['GET', '/v1/vector_stores/vs_1/file_batches/b_1/files', 'listVectorStoreFileBatchFiles'],
  ])('%s %s is %s in the other spelling, and not an operation by itself', (method, path, id) => {
    expect(matchAlternativePath(method, path)?.operation.id).toBe(id);
    expect(matchOperation(method, path)).toBeNull();
  });
});
