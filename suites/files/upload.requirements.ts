import { decodedContent } from '../../exchange/http/content.ts';
import { rowOf } from '../rows/rows.ts';
import { changeBytes } from '../vocabulary/changes.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { responses, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import { uploadedPart } from './file.ts';

const files = section('2 Files');

const uploads = where(
  responses('createFile'),
  that('whose request has a readable file', ({ call }) => uploadedPart(call.exchange) !== null),
);

export const filesUploadBytesAreSize = rowOf('files.upload.bytes-are-size', {
  evidence: uploads,
  check: ({ call, answer }) => {
    const sent = uploadedPart(call.exchange)?.body.size;
    return valueAtPath(answer, 'bytes') === sent
      ? []
      : [violation('/bytes', `${sent}, as sent`, valueAtPath(answer, 'bytes'))];
  },
});

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
  mutations: {
    'a byte is lost': changeBytes('retrieveFileContent', (all) => all.subarray(1)),
    'a byte is added': changeBytes('retrieveFileContent', (all) => Buffer.concat([all, Buffer.from('\n')])),
    'a byte is changed': changeBytes('retrieveFileContent', (all) =>
      all.map((byte, i) => (i === 0 ? byte ^ 1 : byte)),
    ),
  },
});
