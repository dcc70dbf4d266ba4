import { setIn } from '../vocabulary/changes.ts';
import { LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Evidence, Selector, Violation } from '../vocabulary/types.ts';

const { stated } = section('1 Assistant');
const TYING = ['createAssistantFile', 'deleteAssistantFile'];

/** An attached file: when it was uploaded and when it was attached, in Unix seconds. */
interface Aged {
  readonly id: string;
  readonly index: number;
  readonly uploaded: number;
  readonly attached: number;
}

/** A legacy assistant with files whose ages the trace shows. */
interface AgedFiles extends Evidence {
  readonly files: readonly Aged[];
}

const withOlder = that<AgedFiles>('of which one was uploaded and attached before another', ({ files }) =>
  files.some((one) => files.some((other) => isOlder(one, other))),
);

const agedFiles: Selector<AgedFiles> = {
  operations: ['retrieveAssistant', 'modifyAssistant', ...TYING, 'createFile'],
  variant: 'v1',
  needs: 'an assistant with files whose uploads were shown',
  everyVariant: [...TYING, 'createFile'],
  collect: () => {
    const ages = new Ages();
    return { call: (call) => ages.call(call), finish: () => [] };
  },
};

/** Which creation is meant, that of the file or that of the tie, is not said: only what is older by both counts as older. */
export const assistantsV1ObjectFileIdsByAge = stated('assistants-v1.object.file-ids-by-age', {
  says: 'The file_ids of an assistant are in the order of their creation, oldest first.',
  selector: where(agedFiles, withOlder),
  check: ({ files }) =>
    files.flatMap((file, i): Violation[] => {
      const younger = files.slice(0, i).find((other) => isOlder(file, other));
      if (younger === undefined) return [];
      return [violation(`/file_ids/${file.index}`, `in front of ${younger.id}, which is younger`, file.id)];
    }),
  mutations: {
    backwards: setIn('retrieveAssistant', '/file_ids', (ids) => arrayAt(ids).toReversed()),
    'the first at the end': setIn('retrieveAssistant', '/file_ids', (ids) => [
      ...arrayAt(ids).slice(1),
      ...arrayAt(ids).slice(0, 1),
    ]),
  },
});

function isOlder(one: Aged, other: Aged): boolean {
  return one.uploaded < other.uploaded && one.attached < other.attached;
}

class Ages {
  readonly #uploaded = new LruMap<number>();
  /** By assistant, then by file. */
  readonly #attached = new LruMap<Map<string, number>>();

  call(call: Call): readonly AgedFiles[] {
    const { operation, responseJson: answer, path } = call;
    const [id, time] = [textAt(answer, 'id'), numberAt(answer, 'created_at')];
    const owner = path['assistant_id'] ?? '';
    if (operation.id === 'createFile') {
      if (id !== undefined && time !== undefined) this.#uploaded.set(id, time);
      return [];
    }
    if (operation.id === 'createAssistantFile') {
      if (id !== undefined && time !== undefined) this.#attached.at(owner, () => new Map()).set(id, time);
      return [];
    }
    this.#forget(call, owner);
    if (operation.id === 'deleteAssistantFile') return [];
    const files = arrayAt(answer, 'file_ids').flatMap((file, index) => {
      const uploaded = this.#uploaded.get(String(file));
      const attached = this.#attached.get(owner)?.get(String(file));
      return uploaded === undefined || attached === undefined
        ? []
        : [{ id: String(file), index, uploaded, attached }];
    });
    return files.length > 1 ? [{ files, exchanges: [call.exchange] }] : [];
  }

  /** A file that a modification attaches again has another age, which no response shows. */
  #forget({ operation, requestJson: asked, path }: Call, owner: string): void {
    if (operation.id === 'deleteAssistantFile') this.#attached.get(owner)?.delete(path['file_id'] ?? '');
    if (valueAtPath(asked, 'file_ids') !== undefined) this.#attached.delete(owner);
  }
}
