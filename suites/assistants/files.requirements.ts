import { choiceOf, rowOf } from '../rows/rows.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, deepEqual, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Collector, Evidence, Json, Selector, Violation } from '../vocabulary/types.ts';

/** Only a v1 deletion counts; the look-up has a single variant, which is not named `v1`. */
export const assistantsV1DeleteFilesGone = rowOf('assistants-v1.delete.files-gone', {
  evidence: {
    ...successions({
      first: 'deleteAssistant',
      later: 'retrieveAssistantFile',
      about: ({ path }) => path['assistant_id'],
      variant: 'v1',
    }),
    everyVariant: ['retrieveAssistantFile'],
  },
});

const ATTACHMENT_OPERATIONS = ['createAssistantFile', 'deleteAssistantFile'];

/** A file of an assistant; `uploaded` and `attached` in Unix seconds. */
interface DatedFile {
  readonly id: string;
  readonly index: number;
  readonly uploaded: number;
  readonly attached: number;
}

interface DatedFiles extends Evidence {
  readonly files: readonly DatedFile[];
}

const withOlderFile = that<DatedFiles>('of which one was uploaded and attached before another', ({ files }) =>
  files.some((one) => files.some((other) => isOlder(one, other))),
);

const datedFiles: Selector<DatedFiles> = {
  operations: ['retrieveAssistant', 'modifyAssistant', ...ATTACHMENT_OPERATIONS, 'createFile'],
  variant: 'v1',
  needs: 'an assistant with several files whose uploads and attachments were shown',
  everyVariant: [...ATTACHMENT_OPERATIONS, 'createFile'],
  collect: () => new DatedFilesCollector(),
};

/** A file is older only if both its times are earlier, as the specification does not say which is its creation. */
export const assistantsV1ObjectFileIdsByAge = rowOf('assistants-v1.object.file-ids-by-age', {
  evidence: where(datedFiles, withOlderFile),
  check: ({ files }) =>
    files.flatMap((file, i): Violation[] => {
      const younger = files.slice(0, i).find((other) => isOlder(file, other));
      if (younger === undefined) return [];
      return [violation(`/file_ids/${file.index}`, `in front of ${younger.id}, which is younger`, file.id)];
    }),
});

function isOlder(one: DatedFile, other: DatedFile): boolean {
  return one.uploaded < other.uploaded && one.attached < other.attached;
}

class DatedFilesCollector implements Collector<DatedFiles> {
  /** Unix times by file id. */
  readonly #uploadTimes = new LruMap<number>();
  /** Unix times by assistant id, then by file id. */
  readonly #attachmentTimes = new LruMap<Map<string, number>>();

  call(call: Call): readonly DatedFiles[] {
    const { operation, responseJson: answer, path } = call;
    const [id, time] = [textAt(answer, 'id'), numberAt(answer, 'created_at')];
    const owner = path['assistant_id'] ?? '';
    if (operation.id === 'createFile') {
      if (id !== undefined && time !== undefined) this.#uploadTimes.set(id, time);
      return [];
    }
    if (operation.id === 'createAssistantFile') {
      if (id !== undefined && time !== undefined)
        this.#attachmentTimes.at(owner, () => new Map()).set(id, time);
      return [];
    }
    this.#forget(call, owner);
    if (operation.id === 'deleteAssistantFile') return [];
    const files = arrayAt(answer, 'file_ids').flatMap((file, index) => {
      const uploaded = this.#uploadTimes.get(String(file));
      const attached = this.#attachmentTimes.get(owner)?.get(String(file));
      return uploaded === undefined || attached === undefined
        ? []
        : [{ id: String(file), index, uploaded, attached }];
    });
    return files.length > 1 ? [{ files, exchanges: [call.exchange] }] : [];
  }

  /** A modification that attaches a file again gives it a new attachment time, which no response shows. */
  #forget({ operation, requestJson: asked, path }: Call, owner: string): void {
    if (operation.id === 'deleteAssistantFile')
      this.#attachmentTimes.get(owner)?.delete(path['file_id'] ?? '');
    if (valueAtPath(asked, 'file_ids') !== undefined) this.#attachmentTimes.delete(owner);
  }
}

interface ReversedFiles extends Evidence {
  readonly requested: readonly Json[];
  readonly shown: readonly Json[];
}

const reversedFiles: Selector<ReversedFiles> = {
  ...follow(['createAssistant', 'createFile'], () => {
    const uploadTimes = new LruMap<number>();
    return (call) => {
      const { operation, responseJson: answer, exchange } = call;
      if (operation.id === 'createFile') {
        const [id, time] = [textAt(answer, 'id'), numberAt(answer, 'created_at')];
        if (id !== undefined && time !== undefined) uploadTimes.set(id, time);
        return [];
      }
      const requested = arrayAt(call.requestJson, 'file_ids');
      const times = requested.map((id) => uploadTimes.get(String(id)) ?? Number.NaN);
      const isReversed = times.every((time, i) => i === 0 || (times[i - 1] ?? 0) > time);
      if (answer === undefined || requested.length < 2 || !isReversed) return [];
      return [{ requested, shown: arrayAt(answer, 'file_ids'), exchanges: [exchange] }];
    };
  }),
  variant: 'v1',
  everyVariant: ['createFile'],
};

/** Attachments of one request share a timestamp, so either order conforms. */
export const assistantsFilesOfOneRequest = choiceOf('assistants.files.of-one-request', {
  selector: reversedFiles,
  taken: ({ requested, shown }) => {
    if (deepEqual(requested, shown)) return 'as given';
    if (deepEqual(requested.toReversed(), shown)) return 'oldest upload first';
    return deepEqual(requested.toSorted(), shown.toSorted()) ? 'another order' : null;
  },
});
