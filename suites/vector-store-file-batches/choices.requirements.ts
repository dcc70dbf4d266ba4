import { get, list, number, text } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { tells } from '../files/file.ts';
import { sumOfCounts } from '../vector-stores/counts.ts';
import { filterOf } from '../vector-stores/page.ts';
import { cancellations } from './cancellations.ts';
import { batchOf, ENDS, moments, telling } from './moments.ts';

const SPEC = '1 Vector store file batch';
const ENDPOINTS = '1 Vector store file batches';
const LIST = 'listVectorStoreFileBatchFiles';

export const kind = choice({
  id: 'vector-store-file-batches.object.kind',
  spec: SPEC,
  says: 'How the kind of a batch is spelled.',
  alternatives: ['vector_store.file_batch', 'vector_store.files_batch'],
  on: answers(telling),
  taken: ({ answer }) => text(answer, 'object') ?? null,
});

export const spelling = choice({
  id: 'vector-store-file-batches.path.other-spelling',
  spec: ENDPOINTS,
  says: 'Whether file_batches and files_batches in a path are as good as each other.',
  alternatives: ['both are served', 'only the one that is shown'],
  on: only(requests([...telling, LIST], { elsewhere: true }), ({ call }) => call.isElsewhere),
  taken: ({ call: { outcome } }) => {
    if (outcome === 'accepted') return 'both are served';
    return outcome === 'absent' ? 'only the one that is shown' : null;
  },
});

export const answerToCancel = choice({
  id: 'vector-store-file-batches.cancel.answer',
  spec: SPEC,
  says: 'In which state a batch in progress is when its cancellation is answered.',
  alternatives: ['cancelling', 'cancelled', 'completed'],
  on: cancellations(),
  taken: ({ cancel }) => text(cancel.answer, 'status') ?? null,
});

export const cancelEnded = choice({
  id: 'vector-store-file-batches.cancel.too-late',
  spec: ENDPOINTS,
  says: 'How the cancellation of a batch that has ended is answered.',
  alternatives: ['refused', 'accepted'],
  on: only(
    successions({ first: telling, later: 'cancelVectorStoreFileBatch', about: batchOf }),
    ({ before, after }) => ENDS.includes(text(before.answer, 'status') ?? '') && tells(after),
  ),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'accepted' : 'refused'),
});

export const way = choice({
  id: 'vector-store-file-batches.states.way',
  spec: SPEC,
  says: 'Whether a batch that nobody cancels goes from in_progress straight to an end.',
  alternatives: ['straight', 'by way of another state'],
  on: only(moments(), ({ before }) => before?.status === 'in_progress'),
  taken: ({ status }) => {
    if (status === 'in_progress' || status === 'cancelling' || status === 'cancelled') return null;
    return ENDS.includes(status) ? 'straight' : 'by way of another state';
  },
});

export const afterCancelling = choice({
  id: 'vector-store-file-batches.states.from-cancelling',
  spec: SPEC,
  says: 'Which state of a batch follows cancelling.',
  alternatives: ['cancelled', 'completed', 'failed'],
  on: only(moments(), ({ before }) => before?.status === 'cancelling'),
  taken: ({ status }) => (status === 'cancelling' ? null : status),
});

export const afterEnd = choice({
  id: 'vector-store-file-batches.states.from-ended',
  spec: SPEC,
  says: 'Which state of a batch follows one in which it had ended.',
  alternatives: ['cancelling', 'another end'],
  on: only(moments(), ({ before }) => ENDS.includes(before?.status ?? '')),
  taken: ({ status, before }) => {
    if (status === before?.status) return null;
    return ENDS.includes(status) ? 'another end' : status;
  },
});

export const countSum = choice({
  id: 'vector-store-file-batches.counts.sum',
  spec: SPEC,
  says: 'Whether the total of a batch’s files is the sum of the other counts.',
  alternatives: ['the sum', 'another number'],
  on: answers(telling),
  taken: ({ answer }) => sumOfCounts(answer),
});

export const countsAtFirst = choice({
  id: 'vector-store-file-batches.counts.at-first',
  spec: SPEC,
  says: 'Whether a new batch counts all its files at once.',
  alternatives: ['all of them', 'none yet'],
  on: only(answers('createVectorStoreFileBatch'), ({ asked }) => list(asked, 'file_ids').length > 0),
  taken: ({ asked, answer }) => {
    const total = number(answer, 'file_counts', 'total');
    if (total === new Set(list(asked, 'file_ids')).size) return 'all of them';
    return total === 0 ? 'none yet' : 'another number';
  },
});

export const filesOfCancelled = choice({
  id: 'vector-store-file-batches.files.of-cancelled',
  spec: SPEC,
  says: 'In which states the files of a cancelled batch are.',
  alternatives: ['cancelled', 'completed', 'cancelled, completed'],
  on: only(
    successions({ first: telling, later: LIST, about: batchOf }),
    ({ before, after }) => text(before.answer, 'status') === 'cancelled' && filterOf(after) === null,
  ),
  taken: ({ after }) => {
    const states = list(after.answer, 'data').map((file) => text(file, 'status') ?? 'none');
    return states.length === 0 ? null : [...new Set(states)].sort().join(', ');
  },
});

export const unknownFile = choice({
  id: 'vector-store-file-batches.create.unknown-file',
  spec: ENDPOINTS,
  says: 'Whether a batch is created with a file that nobody uploaded.',
  alternatives: ['refused', 'created'],
  on: only(requests('createVectorStoreFileBatch'), ({ call }) => {
    const { probe } = call.exchange;
    return probe?.pointer === 'body.file_ids[]' && probe.keyword === 'unknown' && tells(call);
  }),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'created' : 'refused'),
});

export const empty = choice({
  id: 'vector-store-file-batches.create.no-files',
  spec: ENDPOINTS,
  says: 'Whether a batch is created of no files at all.',
  alternatives: ['refused', 'created'],
  on: only(requests('createVectorStoreFileBatch'), ({ call, asked }) => {
    const ids = get(asked, 'file_ids');
    return tells(call) && Array.isArray(ids) && ids.length === 0;
  }),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'created' : 'refused'),
});

export const twice = choice({
  id: 'vector-store-file-batches.create.same-file-twice',
  spec: ENDPOINTS,
  says: 'How a batch counts a file that it was given twice.',
  alternatives: ['once', 'twice', 'refused'],
  on: only(requests('createVectorStoreFileBatch'), ({ call, asked }) => {
    const ids = list(asked, 'file_ids');
    return tells(call) && ids.length === 2 && ids[0] === ids[1];
  }),
  taken: ({ call }) => {
    if (call.outcome !== 'accepted') return 'refused';
    const total = number(call.answer, 'file_counts', 'total');
    return total === 1 ? 'once' : total === 2 ? 'twice' : null;
  },
});
