// Uploaded files: their names, sizes and lines, as far as the specification limits them by purpose.
import type { FormDataPart } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { parseBoundedJson } from '../../exchange/json-depth.ts';
import { textAt } from '../../judge/evidence/json.ts';
import { type RequestEvidence, requests, where } from '../../judge/evidence/selectors/answers.ts';
import { section } from '../../judge/requirements/define.ts';
import { inFile, inFilePart, withFileSize } from './file-parts.ts';

const { stated } = section('2 Limits');

/** The operation that takes files of all purposes. */
const UPLOAD = ['createFile'];
/** Purposes of files that hold a JSON value in each line. */
const LINED = ['batch', 'fine-tune'];
/** Requests of a batch. */
const MOST_REQUESTS = 50_000;
/** Bytes of the input file of a batch: 100 MB. */
const MOST_BYTES = 100 * 1024 * 1024;
/** Bytes of a file whose lines are read. */
const READABLE = 8 * 1024 * 1024;

/** The uploaded file of a request; undefined where there is none. */
function uploaded({ call }: RequestEvidence): FormDataPart | undefined {
  return formDataParts(call.exchange.request)?.find(
    ({ name, filename }) => name === 'file' && filename !== null,
  );
}

/** The purpose as the request names it; empty without one. */
function purposeOf({ asked }: RequestEvidence): string {
  return textAt(asked, 'purpose') ?? '';
}

/** Uploads for a purpose. */
function uploadsFor(purposes: readonly string[], fits: (file: FormDataPart) => boolean = () => true) {
  return where(requests(UPLOAD), (evidence) => {
    const file = uploaded(evidence);
    return file !== undefined && purposes.includes(purposeOf(evidence)) && fits(file);
  });
}

/** The lines of a file that are not empty. */
function linesOf(evidence: RequestEvidence): readonly string[] {
  const text = uploaded(evidence)?.body.text ?? '';
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Whether the content was kept as text of a size that is read. */
function isReadable({ body }: FormDataPart): boolean {
  return body.size <= READABLE && body.text !== null;
}

/** The name is the only sign of the format in a request; case does not matter. */
export const clientFilesJsonlName = stated('client.files.jsonl-name', {
  says: 'A client uploads files for batches and for training as .jsonl.',
  selector: uploadsFor(LINED),
  check: (evidence) => {
    const name = uploaded(evidence)?.filename ?? '';
    return /\.jsonl$/i.test(name)
      ? []
      : [{ at: 'request file file', expected: 'a .jsonl file', actual: name }];
  },
  mutations: {
    json: inFile(UPLOAD, 'file', (file) => ({ ...file, filename: 'lines.json' })),
    'no ending': inFile(UPLOAD, 'file', (file) => ({ ...file, filename: 'lines' })),
  },
});

/** Empty lines are passed over. Larger files than 8 MiB are not read, so that judging stays quick. */
export const clientFilesJsonlLines = stated('client.files.jsonl-lines', {
  says: 'A client uploads files for batches and for training with a JSON value in each line.',
  selector: uploadsFor(LINED, isReadable),
  check: (evidence) => {
    const lines = linesOf(evidence);
    const wrong = lines.findIndex((line) => parseBoundedJson(line) === null);
    if (wrong === -1) return [];
    return [
      { at: `request file file line ${wrong + 1}`, expected: 'JSON', actual: lines[wrong]?.slice(0, 200) },
    ];
  },
  mutations: {
    'half a line': inFilePart(UPLOAD, 'file', (bytes) => Buffer.concat([bytes, Buffer.from('\n{"half":')])),
    words: inFilePart(UPLOAD, 'file', () => Buffer.from('no JSON\n')),
  },
});

/** Each line that is not empty is a request. */
export const clientFilesBatchRequests = stated('client.files.batch-requests', {
  says: 'A client uploads input files of batches with at most 50,000 requests.',
  selector: uploadsFor(['batch'], isReadable),
  check: (evidence) => {
    const { length } = linesOf(evidence);
    if (length <= MOST_REQUESTS) return [];
    return [{ at: 'request file file', expected: `at most ${MOST_REQUESTS} lines`, actual: length }];
  },
  mutations: {
    'one too many': inFilePart(UPLOAD, 'file', () => Buffer.from('{}\n'.repeat(MOST_REQUESTS + 1))),
    'twice as many': inFilePart(UPLOAD, 'file', () => Buffer.from('{}\n'.repeat(2 * MOST_REQUESTS))),
  },
});

/** Megabytes of 1,048,576 bytes, the larger of the two readings. The content need not be kept for it. */
export const clientFilesBatchSize = stated('client.files.batch-size', {
  says: 'A client uploads input files of batches of at most 100 MB.',
  selector: uploadsFor(['batch']),
  check: (evidence) => {
    const size = uploaded(evidence)?.body.size ?? 0;
    return size <= MOST_BYTES
      ? []
      : [{ at: 'request file file', expected: `at most ${MOST_BYTES} bytes`, actual: size }];
  },
  mutations: {
    'a byte too many': withFileSize(UPLOAD, 'file', MOST_BYTES + 1),
    'twice the size': withFileSize(UPLOAD, 'file', 2 * MOST_BYTES),
  },
});

/** Bytes of a single uploaded file: 512 MB. */
const MOST_OF_ANY = 512 * 1024 * 1024;

/** Holds for files of every purpose. The content need not be kept for it. */
export const clientFilesSize = stated('client.files.size', {
  says: 'A client uploads files of at most 512 MB.',
  selector: where(requests(UPLOAD), (evidence) => uploaded(evidence) !== undefined),
  check: (evidence) => {
    const size = uploaded(evidence)?.body.size ?? 0;
    return size <= MOST_OF_ANY
      ? []
      : [{ at: 'request file file', expected: `at most ${MOST_OF_ANY} bytes`, actual: size }];
  },
  mutations: {
    'a byte too many': withFileSize(UPLOAD, 'file', MOST_OF_ANY + 1),
    'twice the size': withFileSize(UPLOAD, 'file', 2 * MOST_OF_ANY),
  },
});
