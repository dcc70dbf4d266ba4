import { decoded } from '../../exchange/content.ts';
import { lastAlone } from '../../judge/edit/between.ts';
import { bytes, inAnswer, status } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { byIdentity } from '../../judge/selectors/identity.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';

import { differences, refusal, tells, uploaded } from './file.ts';

const SPEC = '2 File';
const ENDPOINTS = '2 Files';

const uploads = only(answers('createFile'), ({ call }) => uploaded(call.exchange) !== null);

export const idUnique = requirement({
  id: 'files.upload.id-unique',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'Two uploads never get the same id.',
  on: byIdentity('createFile'),
  check: ({ id, earlier }) =>
    earlier === null
      ? []
      : [{ at: '/id', expected: `an id that the file of ${earlier.id} does not have`, actual: id }],
  breaks: {
    'one id for all': inAnswer('createFile', put('/id', 'file-same')),
    'the first again at the end': lastAlone('createFile', (first) => put('/id', get(first, 'id') ?? null)),
  },
});

export const size = requirement({
  id: 'files.upload.bytes-are-size',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The bytes of an uploaded file are the size of what was sent.',
  on: uploads,
  check: ({ call, answer }) => {
    const sent = uploaded(call.exchange)?.body.size;
    return get(answer, 'bytes') === sent
      ? []
      : [{ at: '/bytes', expected: `${sent}, as sent`, actual: get(answer, 'bytes') }];
  },
  breaks: {
    'one more': inAnswer(
      'createFile',
      put('/bytes', (old) => Number(old) + 1),
    ),
    nothing: inAnswer('createFile', put('/bytes', 0)),
  },
});

export const purpose = requirement({
  id: 'files.upload.purpose-kept',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'An uploaded file has the purpose that it was sent for.',
  on: uploads,
  check: ({ asked, answer }) =>
    get(answer, 'purpose') === get(asked, 'purpose')
      ? []
      : [{ at: '/purpose', expected: JSON.stringify(get(asked, 'purpose')), actual: get(answer, 'purpose') }],
  breaks: {
    'another purpose': inAnswer(
      'createFile',
      put('/purpose', (old) => (old === 'batch' ? 'fine-tune' : 'batch')),
    ),
    'a result': inAnswer(
      'createFile',
      put('/purpose', (old) => `${old}_output`),
    ),
  },
});

export const retrieved = requirement({
  id: 'files.retrieve.as-uploaded',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A file is retrieved as its upload was answered.',
  on: only(
    successions({ first: 'createFile', later: 'retrieveFile' }),
    ({ after }) => after.answer !== undefined,
  ),
  check: ({ before, after }) => differences(before.answer, after.answer, ''),
  breaks: {
    'another size': inAnswer('retrieveFile', put('/bytes', 1_234_567)),
    'another name': inAnswer('retrieveFile', put('/filename', 'other.bin')),
    'another time': inAnswer('retrieveFile', put('/created_at', 1)),
    'another file': inAnswer('retrieveFile', put('/id', 'file-other')),
  },
});

export const found = requirement({
  id: 'files.retrieve.found',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A file that was uploaded and not deleted is found.',
  on: only(successions({ first: 'createFile', later: 'retrieveFile', until: ['deleteFile'] }), ({ after }) =>
    tells(after),
  ),
  check: ({ after }) => (after.outcome === 'accepted' ? [] : [refusal(after, '2xx')]),
  breaks: {
    'not found': status('retrieveFile', 404),
    'a bad request': status('retrieveFile', 400),
  },
});

export const content = requirement({
  id: 'files.content.as-sent',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'The content of a file is what was sent, byte for byte.',
  on: only(
    successions({ first: 'createFile', later: 'retrieveFileContent' }),
    ({ before, after }) => uploaded(before.exchange) !== null && after.status === 200 && after.complete,
  ),
  check: ({ before, after }) => {
    const sent = uploaded(before.exchange)?.body;
    const { response } = after.exchange;
    const got = response === null ? null : decoded(response);
    if (sent === undefined || got === null || got.sha256 === sent.sha256) return [];
    return [
      {
        at: 'body',
        expected: `${sent.size} bytes with sha256 ${sent.sha256}`,
        actual: `${got.size} bytes with sha256 ${got.sha256}`,
      },
    ];
  },
  breaks: {
    'a byte is lost': bytes('retrieveFileContent', (all) => all.subarray(1)),
    'a byte is added': bytes('retrieveFileContent', (all) => Buffer.concat([all, Buffer.from('\n')])),
    'a byte is changed': bytes('retrieveFileContent', (all) =>
      all.map((byte, i) => (i === 0 ? byte ^ 1 : byte)),
    ),
  },
});
