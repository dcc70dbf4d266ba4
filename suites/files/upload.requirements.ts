import { decodedContent } from '../../exchange/http/content.ts';
import { changeBytes, inLastResponse, setIn, setValue, withStatusOf } from '../vocabulary/changes.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import {
  answered,
  asks,
  idReuses,
  responses,
  settled,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Mutation } from '../vocabulary/types.ts';

import { fileDifferences, notFoundFile, uploadedPart } from './file.ts';

const { stated, implied } = section('2 File');
const files = section('2 Files');

const uploads = where(
  responses('createFile'),
  that('whose request has a readable file', ({ call }) => uploadedPart(call.exchange) !== null),
);

export const filesUploadIdUnique = implied('files.upload.id-unique', {
  says: 'Two uploads never get the same id.',
  selector: idReuses('createFile'),
  check: ({ id, earlier }) =>
    earlier === null ? [] : [violation('/id', `an id other than that of the file of ${earlier.id}`, id)],
  mutations: {
    'one id for all': setIn('createFile', '/id', 'file-same'),
    'the first again at the end': inLastResponse('createFile', (first) =>
      setValue('/id', valueAtPath(first, 'id') ?? null),
    ),
  },
});

export const filesUploadBytesAreSize = stated('files.upload.bytes-are-size', {
  says: 'The size of an uploaded file is the number of bytes that were sent.',
  selector: uploads,
  check: ({ call, answer }) => {
    const sent = uploadedPart(call.exchange)?.body.size;
    return valueAtPath(answer, 'bytes') === sent
      ? []
      : [violation('/bytes', `${sent}, as sent`, valueAtPath(answer, 'bytes'))];
  },
  mutations: {
    'one more': setIn('createFile', '/bytes', (old) => Number(old) + 1),
    nothing: setIn('createFile', '/bytes', 0),
  },
});

export const filesUploadPurposeKept = implied('files.upload.purpose-kept', {
  says: 'An uploaded file has the purpose of its upload.',
  // The content of the file may be missing in a recording.
  selector: where(responses('createFile'), asks('purpose')),
  check: ({ asked, answer }) =>
    valueAtPath(answer, 'purpose') === valueAtPath(asked, 'purpose')
      ? []
      : [
          violation(
            '/purpose',
            JSON.stringify(valueAtPath(asked, 'purpose')),
            valueAtPath(answer, 'purpose'),
          ),
        ],
  mutations: {
    'another purpose': setIn('createFile', '/purpose', (old) => (old === 'batch' ? 'fine-tune' : 'batch')),
    'a result': setIn('createFile', '/purpose', (old) => `${old}_output`),
  },
});

export const filesRetrieveAsUploaded = files.implied('files.retrieve.as-uploaded', {
  says: 'A file is retrieved as in the response to its upload.',
  selector: where(successions({ first: 'createFile', later: 'retrieveFile' }), answered),
  check: ({ before, after }) => fileDifferences(before.responseJson, after.responseJson, ''),
  mutations: {
    'another size': setIn('retrieveFile', '/bytes', 1_234_567),
    'another name': setIn('retrieveFile', '/filename', 'other.bin'),
    'another time': setIn('retrieveFile', '/created_at', 1),
    'another file': setIn('retrieveFile', '/id', 'file-other'),
  },
});

export const filesRetrieveFound = files.implied('files.retrieve.found', {
  says: 'A file that was uploaded is found, until it is deleted or detached from an assistant.',
  selector: where(
    successions({ first: 'createFile', later: 'retrieveFile', until: ['deleteFile', 'deleteAssistantFile'] }),
    settled,
  ),
  check: ({ after }) => (after.responseClass === 'accepted' ? [] : [notFoundFile(after, '2xx')]),
  mutations: {
    'not found': withStatusOf('retrieveFile', 404),
    'a bad request': withStatusOf('retrieveFile', 400),
  },
});

/** How the sentence of the next requirement can be untrue. */
const filesContentAsSentMutations: Readonly<Record<string, Mutation>> = {
  'a byte is lost': changeBytes('retrieveFileContent', (all) => all.subarray(1)),
  'a byte is added': changeBytes('retrieveFileContent', (all) => Buffer.concat([all, Buffer.from('\n')])),
  'a byte is changed': changeBytes('retrieveFileContent', (all) =>
    all.map((byte, i) => (i === 0 ? byte ^ 1 : byte)),
  ),
};

export const filesContentAsSent = files.stated('files.content.as-sent', {
  says: 'The content of a file is the uploaded content, byte for byte.',
  selector: where(
    successions({ first: 'createFile', later: 'retrieveFileContent' }),
    that('of a readable upload', ({ before }) => uploadedPart(before.exchange) !== null),
    that('with 200 and a whole body', ({ after }) => after.status === 200 && after.complete),
  ),
  check: ({ before, after }) => {
    const sent = uploadedPart(before.exchange)?.body;
    const { response } = after.exchange;
    const got = response === null ? null : decodedContent(response);
    if (sent === undefined || got === null || got.sha256 === sent.sha256) return [];
    return [
      violation(
        'body',
        `${sent.size} bytes with sha256 ${sent.sha256}`,
        `${got.size} bytes with sha256 ${got.sha256}`,
      ),
    ];
  },
  mutations: filesContentAsSentMutations,
});
