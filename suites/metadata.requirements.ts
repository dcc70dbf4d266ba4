import { choiceOf } from './rows/rows.ts';
import { isObject, valueAtPath } from './vocabulary/json.ts';
import { successions, where } from './vocabulary/selectors.ts';
import type { CallSuccession } from './vocabulary/types.ts';

const NOUNS = ['Assistant', 'Thread', 'Message', 'VectorStore'];
const MODIFICATIONS = NOUNS.map((noun) => `modify${noun}`);

export const metadataModifyOtherPairs = choiceOf('metadata.modify.other-pairs', {
  selector: where(
    successions({ first: NOUNS.flatMap((noun) => [`create${noun}`, `modify${noun}`]), later: MODIFICATIONS }),
    (evidence) => evidence.after.responseJson !== undefined && unnamedKeys(evidence).length > 0,
  ),
  taken: (evidence) => {
    const shown = valueAtPath(evidence.after.responseJson, 'metadata');
    const unnamed = unnamedKeys(evidence);
    const kept = unnamed.filter((name) => valueAtPath(shown, name) !== undefined);
    if (kept.length === 0) return 'replaced';
    return kept.length === unnamed.length ? 'merged' : 'some of them kept';
  },
});

/** Keys of the pairs that existed before and are not in this request. */
function unnamedKeys({ before, after }: CallSuccession): readonly string[] {
  const old = valueAtPath(before.responseJson, 'metadata');
  const asked = valueAtPath(after.requestJson, 'metadata');
  return isObject(old) && isObject(asked) ? Object.keys(old).filter((name) => !(name in asked)) : [];
}
