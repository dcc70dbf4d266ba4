import { choiceOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import type { Evidence, Json, Selector } from '../vocabulary/types.ts';

const NEW = 'createAssistant';

/** A legacy assistant whose request names its files by age, the newest upload first. */
interface ReversedFiles extends Evidence {
  readonly given: readonly Json[];
  readonly shown: readonly Json[];
}

const reversedFiles: Selector<ReversedFiles> = {
  ...follow([NEW, 'createFile'], () => {
    /** Unix seconds by file. */
    const uploaded = new LruMap<number>();
    return ({ operation, requestJson: asked, responseJson: answer, exchange }) => {
      if (operation.id === 'createFile') {
        const [id, time] = [textAt(answer, 'id'), numberAt(answer, 'created_at')];
        if (id !== undefined && time !== undefined) uploaded.set(id, time);
        return [];
      }
      const given = arrayAt(asked, 'file_ids');
      const times = given.map((id) => uploaded.get(String(id)) ?? Number.NaN);
      const isReversed = times.every((time, i) => i === 0 || (times[i - 1] ?? 0) > time);
      if (answer === undefined || given.length < 2 || !isReversed) return [];
      return [{ given, shown: arrayAt(answer, 'file_ids'), exchanges: [exchange] }];
    };
  }),
  variant: 'v1',
  everyVariant: ['createFile'],
};

/**
 * The order is that of creation. A file and its attachment are both created; attachments of one request have the
 * same time, so this order leaves both readings.
 */
export const assistantsFilesOfOneRequest = choiceOf('assistants.files.of-one-request', {
  selector: reversedFiles,
  taken: ({ given, shown }) => {
    if (isSame(given, shown)) return 'as given';
    return isSame(given.toReversed(), shown) ? 'oldest upload first' : 'another order';
  },
  examples: { 'as given': setIn(NEW, '/file_ids', (ids) => arrayAt(ids).toReversed()) },
});

function isSame(one: readonly Json[], other: readonly Json[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i]);
}
