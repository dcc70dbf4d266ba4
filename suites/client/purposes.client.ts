// Files by the purpose for which they were uploaded: a trace shows it where an answer showed the file.
// Nothing is said of files of earlier sessions.
import type { Json } from '../../exchange/http/body.ts';
import { type RequestEvidence, requests, where } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Mutation, Selector } from '../../judge/requirements/requirement.ts';
import { arrayAt, textAt } from '../../judge/trace/json.ts';
import { LruMap } from '../../judge/trace/lru-map.ts';
import { inRequest } from '../../proof/mutations/requests.ts';
import { setValue } from '../../proof/mutations/values.ts';

/** A request that names a file whose purpose an answer has shown. */
interface FileUse extends RequestEvidence {
  readonly at: string;
  readonly purpose: string;
}

/** Answers that show files, and with them their purposes. */
const SHOWING = ['createFile', 'retrieveFile', 'listFiles'];

/** Uses of files in fields of a request; files whose purpose no answer has shown are no evidence. */
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

/** The check of uses against the purpose that they need. */
function check(expected: string) {
  return ({ at, purpose }: FileUse) =>
    purpose === expected
      ? []
      : [{ at: `request /${at}`, expected: `a file for ${expected}`, actual: `a file for ${purpose}` }];
}

/** Names in a field the first file of another purpose that an answer shows. */
function otherFile(operation: string, field: string, purpose: string): Mutation {
  return (trace) => {
    const file = trace
      .map(({ response }) => response?.body.json?.value)
      .find((json) => textAt(json, 'object') === 'file' && textAt(json, 'purpose') === purpose);
    const id = textAt(file, 'id');
    return id === undefined ? null : inRequest([operation], setValue(`/${field}`, id))(trace);
  };
}

/** Judged only where an answer has shown the purpose of the file, which never changes. */
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
/** The operation that trains a model. */
const JOB = 'createFineTuningJob';

/** As for batches; both files of a job are looked at, each by itself. */
export const clientFineTuningFilePurpose = tuning.stated('client.fine-tuning.file-purpose', {
  says: 'A client trains and validates with files that were uploaded for training.',
  selector: fileUses(JOB, ['training_file', 'validation_file']),
  check: check('fine-tune'),
  mutations: {
    'trains with another': otherFile(JOB, 'training_file', 'batch'),
    'validates with another': otherFile(JOB, 'validation_file', 'assistants'),
  },
});

/** The same id is the one case in which a request itself shows that the data are the same. */
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

/** Files of assistants of the legacy form; those of messages have no stated purpose. */
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
