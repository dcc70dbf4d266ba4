import { acceptance } from './generate/probes/acceptance.ts';
import { setIn } from './vocabulary/changes.ts';
import { deepEqual, isObject, valueAtPath } from './vocabulary/json.ts';
import { responses, successions, where } from './vocabulary/selectors.ts';
import { section } from './vocabulary/statements.ts';
import type { CallSuccession } from './vocabulary/types.ts';

const { choice } = section('1 Common shapes');
const OF = ['Assistant', 'Thread', 'Message', 'VectorStore'];
const MODIFICATIONS = OF.map((noun) => `modify${noun}`);

export const metadataModifyOtherPairs = choice('metadata.modify.other-pairs', {
  says: 'Effect of a modification of the metadata on pairs that it does not name.',
  alternatives: ['replaced', 'merged'],
  selector: where(
    successions({
      first: OF.flatMap((noun) => [`create${noun}`, `modify${noun}`]),
      later: MODIFICATIONS,
    }),
    (evidence) => evidence.after.responseJson !== undefined && others(evidence).length > 0,
  ),
  taken: (evidence) => {
    const shown = valueAtPath(evidence.after.responseJson, 'metadata');
    const left = others(evidence).filter((name) => valueAtPath(shown, name) !== undefined);
    if (left.length === 0) return 'replaced';
    return left.length === others(evidence).length ? 'merged' : 'some of them kept';
  },
});

export const metadataModifyEmptyMap = choice('metadata.modify.empty-map', {
  says: 'Effect of a modification with an empty map on the pairs of metadata.',
  alternatives: ['taken away', 'kept'],
  selector: where(
    responses(MODIFICATIONS),
    ({ asked, call }) => deepEqual(valueAtPath(asked, 'metadata'), {}) && call.exchange.probe === null,
  ),
  taken: ({ answer }) => (deepEqual(valueAtPath(answer, 'metadata'), {}) ? 'taken away' : 'kept'),
  examples: { kept: setIn('modifyThread', '/metadata', { purpose: 'kept' }) },
});

export const nothing = acceptance({
  id: 'metadata.modify.nothing',
  spec: '1 Threads',
  says: 'Whether a modification of a thread or a message may name no field at all.',
  operations: ['modifyThread', 'modifyMessage'],
  concerns: (asked) => deepEqual(asked, {}),
});

/** Names of the pairs that were there before and are not asked for now. */
function others({ before, after }: CallSuccession): readonly string[] {
  const [old, asked] = [
    valueAtPath(before.responseJson, 'metadata'),
    valueAtPath(after.requestJson, 'metadata'),
  ];
  return isObject(old) && isObject(asked) ? Object.keys(old).filter((name) => !(name in asked)) : [];
}
