import { inAnswer } from '../../../judge/edit/breaks.ts';
import { put } from '../../../judge/edit/values.ts';
import { get } from '../../../judge/json.ts';
import { same } from '../../../judge/schema/kinds.ts';
import { answers, only } from '../../../judge/selectors/answers.ts';
import { choice } from '../../../judge/write.ts';

const MODIFY = ['modifyAssistant', 'modifyThread', 'modifyMessage', 'modifyVectorStore'];

export const modified = choice({
  id: 'metadata.modify.empty-map',
  spec: '1 Common shapes',
  says: 'What becomes of pairs of metadata when a modification gives an empty map.',
  alternatives: ['taken away', 'kept'],
  on: only(
    answers(MODIFY),
    ({ asked, call }) => same(get(asked, 'metadata'), {}) && call.exchange.probe === null,
  ),
  taken: ({ answer }) => (same(get(answer, 'metadata'), {}) ? 'taken away' : 'kept'),
  examples: { kept: inAnswer('modifyThread', put('/metadata', { purpose: 'kept' })) },
});
