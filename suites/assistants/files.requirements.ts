import type { Call } from '../../judge/call.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, number, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Complaint, Evidence, Selector } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';

const TYING = ['createAssistantFile', 'deleteAssistantFile'];

/** An attached file: when it was uploaded and when it was attached, in Unix seconds. */
interface Aged {
  readonly id: string;
  readonly index: number;
  readonly uploaded: number;
  readonly attached: number;
}

/** A legacy assistant with files whose ages the trace tells. */
interface AgedFiles extends Evidence {
  readonly files: readonly Aged[];
}

/** Which creation is meant, that of the file or that of the tie, is not said: only what is older by both counts as older. */
export const byAge = requirement({
  id: 'assistants-v1.object.file-ids-by-age',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Assistant',
  says: 'The file_ids of an assistant are in the order of their creation, oldest first.',
  on: only(agedFiles(), ({ files }) => files.some((one) => files.some((other) => isOlder(one, other)))),
  check: ({ files }) =>
    files.flatMap((file, i): Complaint[] => {
      const younger = files.slice(0, i).find((other) => isOlder(file, other));
      if (younger === undefined) return [];
      return [
        {
          at: `/file_ids/${file.index}`,
          expected: `in front of ${younger.id}, which is younger`,
          actual: file.id,
        },
      ];
    }),
  breaks: {
    backwards: inAnswer(
      'retrieveAssistant',
      put('/file_ids', (ids) => list(ids).toReversed()),
    ),
    'the first at the end': inAnswer(
      'retrieveAssistant',
      put('/file_ids', (ids) => [...list(ids).slice(1), ...list(ids).slice(0, 1)]),
    ),
  },
});

function isOlder(one: Aged, other: Aged): boolean {
  return one.uploaded < other.uploaded && one.attached < other.attached;
}

function agedFiles(): Selector<AgedFiles> {
  return {
    operations: ['retrieveAssistant', 'modifyAssistant', ...TYING, 'createFile'],
    variant: 'v1',
    everyVariant: [...TYING, 'createFile'],
    collect: () => {
      const ages = new Ages();
      return { call: (call) => ages.call(call), finish: () => [] };
    },
  };
}

class Ages {
  readonly #uploaded = new Keyed<number>();
  /** By assistant, then by file. */
  readonly #attached = new Keyed<Map<string, number>>();

  call(call: Call): readonly AgedFiles[] {
    const { operation, answer, path } = call;
    const [id, time] = [text(answer, 'id'), number(answer, 'created_at')];
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
    const files = list(answer, 'file_ids').flatMap((file, index) => {
      const uploaded = this.#uploaded.get(String(file));
      const attached = this.#attached.get(owner)?.get(String(file));
      return uploaded === undefined || attached === undefined
        ? []
        : [{ id: String(file), index, uploaded, attached }];
    });
    return files.length > 1 ? [{ files, exchanges: [call.exchange] }] : [];
  }

  /** What is attached anew by a modification has another age, which nothing tells. */
  #forget({ operation, asked, path }: Call, owner: string): void {
    if (operation.id === 'deleteAssistantFile') this.#attached.get(owner)?.delete(path['file_id'] ?? '');
    if (get(asked, 'file_ids') !== undefined) this.#attached.delete(owner);
  }
}
