import type { FormDataPart } from '../../exchange/http/body.ts';
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import {
  type BatchRequestLine,
  batchLinesOf,
  isReadable,
  UPLOAD,
  uploadedFile,
  uploadedLines,
} from '../../judge/client/uploads.ts';
import { inFile, inFilePart, inRequest, setValue, withFileSize } from '../vocabulary/changes.ts';
import { LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { requests, stateless, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Json, Mutation, RequestEvidence, Selector } from '../vocabulary/types.ts';

const { stated } = section('2 Limits');

const LINED = ['batch', 'fine-tune'];
const MOST_REQUESTS = 50_000;
/** Bytes of the input file of a batch: 100 MB. */
const MOST_BYTES = 100 * 1024 * 1024;

/** The file name is the only sign of the format in a request. */
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

/** Empty lines are ignored. Files above 8 MiB are not read, to keep judging fast. */
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

/** A megabyte is 1,048,576 bytes, the larger reading. The size is known even if the content was not kept. */
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

// Files by purpose. Only files whose purpose a response of this trace showed are judged.

interface FileUse extends RequestEvidence {
  readonly at: string;
  readonly purpose: string;
}

const SHOWING = ['createFile', 'retrieveFile', 'listFiles'];

function fileUses(operation: string, fields: readonly string[]): Selector<FileUse> {
  return {
    operations: [...SHOWING, operation],
    variant: null,
    collect: () => {
      const purposes = new LruMap<string>();
      const learn = (file: Json): void => {
        const [id, purpose] = [textAt(file, 'id'), textAt(file, 'purpose')];
        if (id !== undefined && purpose !== undefined) purposes.set(id, purpose);
      };
      return {
        call: (call) => {
          const { responseJson, requestJson: asked } = call;
          if (call.operation.id === operation)
            return fields.flatMap((at) => {
              const purpose = purposes.get(textAt(asked, at) ?? '');
              return purpose === undefined ? [] : [{ exchanges: [call.exchange], call, asked, at, purpose }];
            });
          if (responseJson !== undefined)
            for (const file of [responseJson, ...arrayAt(responseJson, 'data')]) learn(file);
          return [];
        },
        finish: () => [],
      };
    },
  };
}

function check(expected: string) {
  return ({ at, purpose }: FileUse) =>
    purpose === expected
      ? []
      : [{ at: `request /${at}`, expected: `a file for ${expected}`, actual: `a file for ${purpose}` }];
}

function otherFile(operation: string, field: string, purpose: string): Mutation {
  return (trace) => {
    const file = trace
      .map(({ response }) => response?.body.json?.value)
      .find((json) => textAt(json, 'object') === 'file' && textAt(json, 'purpose') === purpose);
    const id = textAt(file, 'id');
    return id === undefined ? null : inRequest([operation], setValue(`/${field}`, id))(trace);
  };
}

export const clientBatchesFilePurpose = section('2 Batches').stated('client.batches.file-purpose', {
  says: 'A client creates a batch from a file that was uploaded for batches.',
  selector: fileUses('createBatch', ['input_file_id']),
  check: check('batch'),
  mutations: {
    'a training file': otherFile('createBatch', 'input_file_id', 'fine-tune'),
    'a file of assistants': otherFile('createBatch', 'input_file_id', 'assistants'),
  },
});

const tuning = section('2 Fine-tuning');
const JOB = 'createFineTuningJob';

export const clientFineTuningFilePurpose = tuning.stated('client.fine-tuning.file-purpose', {
  says: 'A client trains and validates with files that were uploaded for training.',
  selector: fileUses(JOB, ['training_file', 'validation_file']),
  check: check('fine-tune'),
  mutations: {
    'trains with another': otherFile(JOB, 'training_file', 'batch'),
    'validates with another': otherFile(JOB, 'validation_file', 'assistants'),
  },
});

/** Equal ids are the only case in which a request itself shows that the data are the same. */
export const clientFineTuningOtherFile = tuning.stated('client.fine-tuning.other-file', {
  says: 'A client validates with other data than it trains with.',
  selector: where(requests(JOB), ({ asked }) => textAt(asked, 'validation_file') !== undefined),
  check: ({ asked }) => {
    const file = textAt(asked, 'validation_file');
    if (file !== textAt(asked, 'training_file')) return [];
    return [{ at: 'request /validation_file', expected: 'another file than for training', actual: file }];
  },
  mutations: {
    'the same file': inRequest(
      [JOB],
      setValue('/training_file', 'file-1'),
      setValue('/validation_file', 'file-1'),
    ),
  },
});

export const clientAssistantFilesPurpose = section('1 Assistant files (v1)').stated(
  'client.assistant-files.purpose',
  {
    says: 'A client attaches files to assistants that were uploaded for assistants.',
    selector: fileUses('createAssistantFile', ['file_id']),
    check: check('assistants'),
    mutations: {
      'a training file': otherFile('createAssistantFile', 'file_id', 'fine-tune'),
      'a file of batches': otherFile('createAssistantFile', 'file_id', 'batch'),
    },
  },
);

// Uploads of files by their purpose.

export interface BatchInput extends RequestEvidence {
  readonly lines: readonly BatchRequestLine[];
}

export function uploadsFor(
  purposes: readonly string[],
  fits: (file: FormDataPart) => boolean = () => true,
): Selector<RequestEvidence> {
  return where(requests(UPLOAD), ({ call, asked }) => {
    const file = uploadedFile(call);
    return file !== undefined && purposes.includes(textAt(asked, 'purpose') ?? '') && fits(file);
  });
}

/** The inputs of batches. Lines that are not JSON are passed over here: `client.files.jsonl-lines` judges them. */
export const batchInputs: Selector<BatchInput> = stateless('batch inputs', UPLOAD, {}, (call) => {
  const lines = batchLinesOf(call);
  return lines.length === 0 ? [] : [{ exchanges: [call.exchange], call, asked: call.requestJson, lines }];
});
