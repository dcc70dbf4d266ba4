import { inAnswer } from '../judge/edit/breaks.ts';
import { put } from '../judge/edit/values.ts';
import { get, isObject } from '../judge/json.ts';
import { same } from '../judge/schema/kinds.ts';
import { answers, only } from '../judge/selectors/answers.ts';
import { type Succession, successions } from '../judge/selectors/relations.ts';
import { choice } from '../judge/write.ts';
import { acceptance } from './generate/acceptance.ts';

const OF = ['Assistant', 'Thread', 'Message', 'VectorStore'];
const MODIFICATIONS = OF.map((noun) => `modify${noun}`);

export const onModify = choice({
  id: 'metadata.modify.other-pairs',
  spec: '1 Common shapes',
  says: 'What becomes of pairs of metadata that a modification of the metadata does not name.',
  alternatives: ['replaced', 'merged'],
  on: only(
    successions({
      first: OF.flatMap((noun) => [`create${noun}`, `modify${noun}`]),
      later: MODIFICATIONS,
    }),
    (evidence) => evidence.after.answer !== undefined && others(evidence).length > 0,
  ),
  taken: (evidence) => {
    const told = get(evidence.after.answer, 'metadata');
    const left = others(evidence).filter((name) => get(told, name) !== undefined);
    if (left.length === 0) return 'replaced';
    return left.length === others(evidence).length ? 'merged' : 'some of them kept';
  },
});

export const modified = choice({
  id: 'metadata.modify.empty-map',
  spec: '1 Common shapes',
  says: 'What becomes of pairs of metadata when a modification gives an empty map.',
  alternatives: ['taken away', 'kept'],
  on: only(
    answers(MODIFICATIONS),
    ({ asked, call }) => same(get(asked, 'metadata'), {}) && call.exchange.probe === null,
  ),
  taken: ({ answer }) => (same(get(answer, 'metadata'), {}) ? 'taken away' : 'kept'),
  examples: { kept: inAnswer('modifyThread', put('/metadata', { purpose: 'kept' })) },
});

export const nothing = acceptance({
  id: 'metadata.modify.nothing',
  spec: '1 Threads',
  says: 'Whether a modification of a thread or a message may name no field at all.',
  operations: ['modifyThread', 'modifyMessage'],
  concerns: (asked) => same(asked, {}),
});

/** Names of the pairs that were there before and are not asked for now. */
function others({ before, after }: Succession): readonly string[] {
  const [old, asked] = [get(before.answer, 'metadata'), get(after.asked, 'metadata')];
  return isObject(old) && isObject(asked) ? Object.keys(old).filter((name) => !(name in asked)) : [];
}
