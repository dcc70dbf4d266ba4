import { choiceOf } from './rows/rows.ts';
import { isObject, valueAtPath } from './vocabulary/json.ts';
import { successions, where } from './vocabulary/selectors.ts';
import type { CallSuccession } from './vocabulary/types.ts';

const OF = ['Assistant', 'Thread', 'Message', 'VectorStore'];
const MODIFICATIONS = OF.map((noun) => `modify${noun}`);

export const metadataModifyOtherPairs = choiceOf('metadata.modify.other-pairs', {
  selector: where(
    successions({ first: OF.flatMap((noun) => [`create${noun}`, `modify${noun}`]), later: MODIFICATIONS }),
    (evidence) => evidence.after.responseJson !== undefined && unnamedPairs(evidence).length > 0,
  ),
  taken: (evidence) => {
    const shown = valueAtPath(evidence.after.responseJson, 'metadata');
    const left = unnamedPairs(evidence).filter((name) => valueAtPath(shown, name) !== undefined);
    if (left.length === 0) return 'replaced';
    return left.length === unnamedPairs(evidence).length ? 'merged' : 'some of them kept';
  },
});

/** Names of the pairs that existed before and are not in this request. */
function unnamedPairs({ before, after }: CallSuccession): readonly string[] {
  const [old, asked] = [
    valueAtPath(before.responseJson, 'metadata'),
    valueAtPath(after.requestJson, 'metadata'),
  ];
  return isObject(old) && isObject(asked) ? Object.keys(old).filter((name) => !(name in asked)) : [];
}
