import { decodedContent } from '../../exchange/http/content.ts';
import { rowOf } from '../rows/rows.ts';
import { changeBytes, setIn } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { responses, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Mutation } from '../vocabulary/types.ts';
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

/** Includes files that the service wrote, such as the results of a batch. */
export const filesContentBytesAreSize = rowOf('files.content.bytes-are-size', {
  evidence: successions({ first: ['createFile', 'retrieveFile'], later: 'retrieveFileContent' }),
  check: ({ before, after: { exchange, complete } }) => {
    const got = exchange.response === null || !complete ? null : decodedContent(exchange.response);
    const due = valueAtPath(before.responseJson, 'bytes');
    return got === null || got.isUnknown || got.size === due
      ? []
      : [violation('body', `${due} bytes, as the file says`, `${got.size} bytes`)];
  },
});

/** SDKs and browsers send names in UTF-8. A service may give a file another name, but not one that no caller can read. */
export const filesUploadFilenameCharacters = rowOf('files.upload.filename-characters', {
  evidence: uploads,
  where: [that('whose name has characters beyond ASCII', ({ call }) => isBeyondAscii(nameSent(call)))],
  check: ({ call, answer }) => {
    const sent = nameSent(call);
    const shown = textAt(answer, 'filename') ?? '';
    if (!shown.includes(MARK) && !shown.endsWith(misread(sent))) return [];
    return [violation('/filename', sent, shown)];
  },
  broken_by: {
    'read as Latin-1': garbledName(misread),
    'read as ASCII': garbledName((name) => name.replaceAll(/[^\p{ASCII}]/gu, MARK)),
  },
});

/** Decoders substitute it for invalid bytes. */
const MARK = '\u{FFFD}';

/** UTF-8 that was read as Latin-1. */
function misread(name: string): string {
  return Buffer.from(name).toString('latin1');
}

function nameSent(call: Call): string {
  return uploadedPart(call.exchange)?.filename ?? '';
}

/** Whether a name has non-ASCII characters. A name with replacement characters was not sent as UTF-8 and does not count. */
function isBeyondAscii(name: string): boolean {
  return /[^\p{ASCII}]/u.test(name) && !name.includes(MARK);
}

function garbledName(garble: (name: string) => string): Mutation {
  return setIn('createFile', '/filename', (name) =>
    typeof name === 'string' ? garble(name) : (name ?? null),
  );
}

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
