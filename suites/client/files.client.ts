// Uploaded files: their names, sizes and lines, as far as the specification limits them by purpose.
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { isReadable, UPLOAD, uploadedFile, uploadedLines } from '../../judge/client/uploads.ts';
import { requests, where } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import { inFile, inFilePart, withFileSize } from '../../proof/mutations/requests.ts';
import { uploadsFor } from './selectors/uploads.ts';

const { stated } = section('2 Limits');

/** Purposes of files that hold a JSON value in each line. */
const LINED = ['batch', 'fine-tune'];
/** Requests of a batch. */
const MOST_REQUESTS = 50_000;
/** Bytes of the input file of a batch: 100 MB. */
const MOST_BYTES = 100 * 1024 * 1024;

/** The name is the only sign of the format in a request; case does not matter. */
export const clientFilesJsonlName = stated('client.files.jsonl-name', {
  says: 'A client uploads files for batches and for training as .jsonl.',
  selector: uploadsFor(LINED),
  check: ({ call }) => {
    const name = uploadedFile(call)?.filename ?? '';
    return /\.jsonl$/i.test(name)
      ? []
      : [{ at: 'request file file', expected: 'a .jsonl file', actual: name }];
  },
  mutations: {
    json: inFile([UPLOAD], 'file', (file) => ({ ...file, filename: 'lines.json' })),
    'no ending': inFile([UPLOAD], 'file', (file) => ({ ...file, filename: 'lines' })),
  },
});

/** Empty lines are passed over. Larger files than 8 MiB are not read, so that judging stays quick. */
export const clientFilesJsonlLines = stated('client.files.jsonl-lines', {
  says: 'A client uploads files for batches and for training with a JSON value in each line.',
  selector: uploadsFor(LINED, isReadable),
  check: ({ call }) => {
    const wrong = uploadedLines(call).find(({ text }) => parseBoundedJson(text) === null);
    return wrong === undefined ? [] : [{ at: wrong.at, expected: 'JSON', actual: wrong.text.slice(0, 200) }];
  },
  mutations: {
    'half a line': inFilePart([UPLOAD], 'file', (bytes) => Buffer.concat([bytes, Buffer.from('\n{"half":')])),
    words: inFilePart([UPLOAD], 'file', () => Buffer.from('no JSON\n')),
  },
});

/** Each line that is not empty is a request. */
export const clientFilesBatchRequests = stated('client.files.batch-requests', {
  says: 'A client uploads input files of batches with at most 50,000 requests.',
  selector: uploadsFor(['batch'], isReadable),
  check: ({ call }) => {
    const { length } = uploadedLines(call);
    if (length <= MOST_REQUESTS) return [];
    return [{ at: 'request file file', expected: `at most ${MOST_REQUESTS} lines`, actual: length }];
  },
  mutations: {
    'one too many': inFilePart([UPLOAD], 'file', () => Buffer.from('{}\n'.repeat(MOST_REQUESTS + 1))),
    'twice as many': inFilePart([UPLOAD], 'file', () => Buffer.from('{}\n'.repeat(2 * MOST_REQUESTS))),
  },
});

/** Megabytes of 1,048,576 bytes, the larger of the two readings. The content need not be kept for it. */
export const clientFilesBatchSize = stated('client.files.batch-size', {
  says: 'A client uploads input files of batches of at most 100 MB.',
  selector: uploadsFor(['batch']),
  check: ({ call }) => {
    const size = uploadedFile(call)?.body.size ?? 0;
    return size <= MOST_BYTES
      ? []
      : [{ at: 'request file file', expected: `at most ${MOST_BYTES} bytes`, actual: size }];
  },
  mutations: {
    'a byte too many': withFileSize([UPLOAD], 'file', MOST_BYTES + 1),
    'twice the size': withFileSize([UPLOAD], 'file', 2 * MOST_BYTES),
  },
});

/** Bytes of a single uploaded file: 512 MB. */
const MOST_OF_ANY = 512 * 1024 * 1024;

/** Holds for files of every purpose. The content need not be kept for it. */
export const clientFilesSize = stated('client.files.size', {
  says: 'A client uploads files of at most 512 MB.',
  selector: where(requests(UPLOAD), ({ call }) => uploadedFile(call) !== undefined),
  check: ({ call }) => {
    const size = uploadedFile(call)?.body.size ?? 0;
    return size <= MOST_OF_ANY
      ? []
      : [{ at: 'request file file', expected: `at most ${MOST_OF_ANY} bytes`, actual: size }];
  },
  mutations: {
    'a byte too many': withFileSize([UPLOAD], 'file', MOST_OF_ANY + 1),
    'twice the size': withFileSize([UPLOAD], 'file', 2 * MOST_OF_ANY),
  },
});
