import { decodedContent } from '../../exchange/http/content.ts';
import { rowOf } from '../rows/rows.ts';
import { changeBytes, setIn } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { responses, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Mutation } from '../vocabulary/types.ts';
import { uploadedPart } from './file.ts';

const files = section('2 Files');

const REPLACEMENT_CHARACTER = '\u{FFFD}';

const uploads = where(
  responses('createFile'),
  that('whose request has a readable file', ({ call }) => uploadedPart(call.exchange) !== null),
);

export const filesUploadBytesAreSize = rowOf('files.upload.bytes-are-size', {
  evidence: uploads,
  check: ({ call, answer }) => {
    const size = uploadedPart(call.exchange)?.body.size;
    return valueAtPath(answer, 'bytes') === size
      ? []
      : [violation('/bytes', `${size}, as sent`, valueAtPath(answer, 'bytes'))];
  },
});

/** Includes files that the service wrote, such as the results of a batch. */
export const filesContentBytesAreSize = rowOf('files.content.bytes-are-size', {
  evidence: successions({ first: ['createFile', 'retrieveFile'], later: 'retrieveFileContent' }),
  check: ({ before, after: { exchange, complete } }) => {
    const content = exchange.response === null || !complete ? null : decodedContent(exchange.response);
    const expected = valueAtPath(before.responseJson, 'bytes');
    return content === null || content.isUnknown || content.size === expected
      ? []
      : [violation('body', `${expected} bytes, as the file says`, `${content.size} bytes`)];
  },
});

/** SDKs and browsers send names in UTF-8. A service may rename a file, but must not garble its name. */
export const filesUploadFilenameCharacters = rowOf('files.upload.filename-characters', {
  evidence: uploads,
  where: [that('whose name has characters beyond ASCII', ({ call }) => isNonAscii(sentName(call)))],
  check: ({ call, answer }) => {
    const uploadedName = sentName(call);
    const filename = textAt(answer, 'filename') ?? '';
    if (!filename.includes(REPLACEMENT_CHARACTER) && !filename.endsWith(readAsLatin1(uploadedName)))
      return [];
    return [violation('/filename', uploadedName, filename)];
  },
  broken_by: {
    'read as Latin-1': garbleName(readAsLatin1),
    'read as ASCII': garbleName((name) => name.replaceAll(/[^\p{ASCII}]/gu, REPLACEMENT_CHARACTER)),
  },
});

function readAsLatin1(name: string): string {
  return Buffer.from(name).toString('latin1');
}

function sentName(call: Call): string {
  return uploadedPart(call.exchange)?.filename ?? '';
}

/** A name with replacement characters does not count, because it may not have been sent as UTF-8. */
function isNonAscii(name: string): boolean {
  return /[^\p{ASCII}]/u.test(name) && !name.includes(REPLACEMENT_CHARACTER);
}

function garbleName(garble: (name: string) => string): Mutation {
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
    const upload = uploadedPart(before.exchange)?.body;
    const { response } = after.exchange;
    const content = response === null ? null : decodedContent(response);
    if (upload === undefined || content === null || content.isUnknown || content.sha256 === upload.sha256)
      return [];
    const describe = ({ size, sha256 }: typeof upload) => `${size} bytes with sha256 ${sha256}`;
    return [violation('body', describe(upload), describe(content))];
  },
  mutations: {
    'a byte is lost': changeBytes('retrieveFileContent', (bytes) => bytes.subarray(1)),
    'a byte is added': changeBytes('retrieveFileContent', (bytes) =>
      Buffer.concat([bytes, Buffer.from('\n')]),
    ),
    'a byte is changed': changeBytes('retrieveFileContent', (bytes) =>
      bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte)),
    ),
  },
});
