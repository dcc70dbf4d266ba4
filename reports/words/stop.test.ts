import { describe, expect, test } from 'vitest';
import type { Stop } from '../../exchange/note.ts';
import { stopWords } from './stop.ts';
import { compileDefinition } from './testing/report-schema.ts';

const unreachable = { reason: 'target-unreachable', baseUrl: 'http://h/api/v1' } as const;

const STOPS: readonly (readonly [Stop, string])[] = [
  [{ reason: 'interrupted' }, 'The run was interrupted.'],
  [{ reason: 'budget', limit: 'tokens', most: 5 }, '--max-tokens 5 is spent'],
  [
    { ...unreachable, strange: null, detail: 'ECONNRESET' },
    'Nothing answers at http://h/api/v1: ECONNRESET. If it speaks TLS, the URL begins with https://',
  ],
  [
    { ...unreachable, strange: null, detail: 'ECONNREFUSED', waited: 3 },
    'Nothing answers at http://h/api/v1: ECONNREFUSED, even after 3 s',
  ],
  [
    { ...unreachable, strange: { origin: 'http://h', prefix: '/api' }, detail: null },
    'Nothing is found under http://h/api/v1: GET /api/v1/models is answered 404 like any unknown path, and so are the ' +
      'first requests to what is claimed. Is the path of --base-url right? It was read as the origin http://h and the path /api',
  ],
  [
    { ...unreachable, baseUrl: 'http://h/v1', strange: { origin: 'http://h', prefix: '' }, detail: null },
    'Nothing is found under http://h/v1: GET /v1/models is answered 404 like any unknown path, and so are the ' +
      'first requests to what is claimed. Is the path of --base-url right? It may need a path before /v1, as in http://host/api/v1',
  ],
  [
    {
      ...unreachable,
      baseUrl: 'http://h/v1/chat/completions/v1',
      strange: { origin: 'http://h', prefix: '/v1/chat/completions' },
      detail: null,
    },
    'Nothing is found under http://h/v1/chat/completions/v1: GET /v1/chat/completions/v1/models is answered 404 like any ' +
      'unknown path, and so are the first requests to what is claimed. Is the path of --base-url right? It ends with ' +
      'the path of an operation; the base URL is probably http://h/v1',
  ],
  [
    {
      ...unreachable,
      strange: null,
      detail: null,
      refused: { status: 403, keyVariable: 'MY_KEY', key: 'sent' },
    },
    'http://h/api/v1 answers 403 to the list of models and to the first requests to everything that is claimed. ' +
      'The key in MY_KEY was sent and refused: does it belong to this target?',
  ],
  [
    {
      ...unreachable,
      strange: null,
      detail: null,
      refused: { status: 401, keyVariable: 'MY_KEY', key: 'none' },
    },
    'http://h/api/v1 answers 401 to the list of models and to the first requests to everything that is claimed. ' +
      'No key was sent: put it in MY_KEY, or name its variable with --api-key-env',
  ],
  [
    { reason: 'target-died', detail: 'ECONNREFUSED', underWay: [] },
    'The target no longer answers: ECONNREFUSED',
  ],
  [
    {
      reason: 'target-died',
      detail: 'ECONNREFUSED',
      underWay: [
        { method: 'POST', path: '/v1/files', exchange: 'e8', invalid: true },
        { method: 'POST', path: '/v1/files', exchange: 'e7' },
        { method: 'GET', path: '/v1/a', exchange: 'e9' },
      ],
    },
    'The target no longer answers: ECONNREFUSED; in flight: POST /v1/files (e8, e7), GET /v1/a (e9)',
  ],
];

describe('a stop', () => {
  const validate = compileDefinition('stop');
  test.for(STOPS)('%j reads: %s', ([stop, words]) => {
    expect(stopWords(stop)).toBe(words);
    validate(stop);
    expect(validate.errors ?? []).toEqual([]);
  });
});
