import { choiceOf } from './rows/rows.ts';
import { isObject, valueAtPath } from './vocabulary/json.ts';
import { successions, where } from './vocabulary/selectors.ts';
import type { CallSuccession } from './vocabulary/types.ts';

const OBJECTS = ['Assistant', 'Thread', 'Message', 'VectorStore'];

export const metadataModifyOtherPairs = choiceOf('metadata.modify.other-pairs', {
  selector: where(
    successions({
      first: OBJECTS.flatMap((object) => [`create${object}`, `modify${object}`]),
      later: OBJECTS.map((object) => `modify${object}`),
    }),
    (evidence) => evidence.after.responseJson !== undefined && unnamedKeys(evidence).length > 0,
  ),
  taken: (evidence) => {
    const metadata = valueAtPath(evidence.after.responseJson, 'metadata');
    const keys = unnamedKeys(evidence);
    const keptKeys = keys.filter((name) => valueAtPath(metadata, name) !== undefined);
    if (keptKeys.length === 0) return 'replaced';
    return keptKeys.length === keys.length ? 'merged' : 'some of them kept';
  },
});

function unnamedKeys({ before, after }: CallSuccession): readonly string[] {
  const pairs = valueAtPath(before.responseJson, 'metadata');
  const changes = valueAtPath(after.requestJson, 'metadata');
  if (!isObject(pairs) || !isObject(changes)) return [];
  return Object.keys(pairs).filter((name) => !Object.hasOwn(changes, name));
}
