import { expect, test } from 'vitest';
import type { HeaderPairs } from '../../exchange/http/headers.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { RequestSketch, ResponseSketch } from '../testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

const QUESTION = '"model":"m","messages":[{"role":"user","content":"Count."}]';
const accepted: CallSketch = ['createChatCompletion', { text: `{${QUESTION}}` }, OK];

function sketchRawQuestion(members: string, headers: HeaderPairs = []): CallSketch {
  return ['createChatCompletion', { text: `{${QUESTION}${members}}`, headers }, NO];
}

function sketchRead(operation: string, headers: HeaderPairs, sent: RequestSketch = {}): CallSketch {
  return [operation, { ...sent, headers }, { ...NO, status: 406 }];
}

const file = { path: { file_id: 'file-1' } };
const listed: CallSketch = [
  'listFiles',
  {},
  { json: { object: 'list', data: [{ id: 'file-1', object: 'file' }] } },
];
const sketchSpeech = (headers: HeaderPairs, response: ResponseSketch = NO): CallSketch => [
  'createSpeech',
  { body: { model: 'tts-1', input: 'Hello', voice: 'alloy' }, headers },
  response,
];

function judgeLast(sent: CallSketch) {
  const { refused, open } = evaluateAcceptance([accepted, listed, sketchSpeech([], { text: 'x' }), sent]);
  return { refused: [...refused.values()].reduce((a, b) => a + b, 0), open };
}

test.for<readonly [string, CallSketch]>([
  ['an integer written with a fraction', sketchRawQuestion(',"n":1.0')],
  ['an integer written with an exponent', sketchRawQuestion(',"max_tokens":1e1')],
  ['a token id written with a fraction', ['createCompletion', { text: '{"model":"m","prompt":[40.0]}' }, NO]],
  ['a duplicate member', sketchRawQuestion(',"n":1,"n":2')],
  ['a list in XML', sketchRead('listModels', [['Accept', 'application/xml']])],
  [
    'a list in JSON, which the Accept header excludes with q=0',
    sketchRead('listModels', [['Accept', 'text/html, application/json;q=0']]),
  ],
  [
    'a list in JSON, which the Accept header excludes although it accepts any other type',
    sketchRead('listModels', [['Accept', '*/*, application/json;q=0']]),
  ],
  [
    'a file if the caller accepts only JSON',
    sketchRead('retrieveFileContent', [['Accept', 'application/json']], file),
  ],
  ['a range of a file', sketchRead('retrieveFileContent', [['Range', 'bytes=9-']], file)],
  ['a conditional request for a list', sketchRead('listModels', [['If-Match', '"a"']])],
  ['speech if the caller accepts only text', sketchSpeech([['Accept', 'text/plain']])],
  [
    'an event stream if the request does not ask to stream',
    sketchRawQuestion('', [['Accept', 'text/event-stream']]),
  ],
])('a target may refuse %s', ([, sent]) => {
  expect(judgeLast(sent)).toEqual({ refused: 0, open: { unstated: 1 } });
});

test.for<readonly [string, CallSketch]>([
  ['integers', sketchRawQuestion(',"n":1,"max_tokens":10')],
  ['a number with a fraction', sketchRawQuestion(',"temperature":1.0,"top_p":5e-1')],
  ['a string that contains numbers', sketchRawQuestion(',"stop":"\\"n\\":1.0, 1e1","n":1')],
  ['a list of any media type', sketchRead('listModels', [['Accept', '*/*']])],
  ['a list in JSON', sketchRead('listModels', [['Accept', 'text/html, application/json;q=0.5']])],
  [
    'a list in JSON, the only accepted type',
    sketchRead('listModels', [['Accept', '*/*;q=0, application/json']]),
  ],
  ['a list of any application type', sketchRead('listModels', [['Accept', 'application/*']])],
  [
    'a file as binary data',
    sketchRead('retrieveFileContent', [['Accept', 'application/octet-stream']], file),
  ],
  ['a list without an Accept header', sketchRead('listModels', [])],
  ['speech as audio', sketchSpeech([['Accept', 'audio/*']])],
  ['an event stream', sketchRawQuestion(',"stream":true', [['Accept', 'text/event-stream']])],
  [
    'an event stream if the caller accepts JSON',
    sketchRawQuestion(',"stream":true', [['Accept', 'application/json']]),
  ],
])('a target may not refuse %s', ([, sent]) => {
  expect(judgeLast(sent)).toEqual({ refused: 1, open: {} });
});
