import { inAnswerWhere } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, isObject, number, text } from '../../judge/json.ts';
import { same } from '../../judge/schema/kinds.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { type Succession, successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { tells } from '../files/file.ts';
import { sumOfCounts } from './counts.ts';
import { tallies } from './tallies.ts';

const SPEC = '1 Vector store';
const ENDPOINTS = '1 Vector stores';
const TELLING = ['createVectorStore', 'retrieveVectorStore', 'modifyVectorStore'] as const;

const told = answers(TELLING);

export const bytesName = choice({
  id: 'vector-stores.bytes.name',
  spec: SPEC,
  says: 'Which field tells how many bytes the files of a store take.',
  places: ['vector_store:usage_bytes'],
  alternatives: ['usage_bytes', 'bytes', 'both'],
  on: only(told, ({ answer }) => named(answer, 'usage_bytes', 'bytes') !== 'none'),
  taken: ({ answer }) => named(answer, 'usage_bytes', 'bytes'),
});

export const lastActiveName = choice({
  id: 'vector-stores.last-active.name',
  spec: SPEC,
  says: 'Which field tells when a store was last in use.',
  places: ['vector_store:last_active_at'],
  alternatives: ['last_active_at', 'last_used_at', 'both', 'none'],
  on: told,
  taken: ({ answer }) => named(answer, 'last_active_at', 'last_used_at'),
});

export const unsetName = choice({
  id: 'vector-stores.name.unset',
  spec: ENDPOINTS,
  says: 'How the name of a store reads that was given none.',
  places: ['vector_store:name'],
  alternatives: ['null', 'empty', 'absent'],
  on: only(answers('createVectorStore'), ({ asked }) => (get(asked, 'name') ?? null) === null),
  taken: ({ answer }) => unset(get(answer, 'name')),
});

export const nullName = choice({
  id: 'vector-stores.name.null',
  spec: ENDPOINTS,
  says: 'Whether a name is taken away by modifying it to null.',
  alternatives: ['taken away', 'passed over', 'refused'],
  on: only(
    successions({ first: TELLING, later: 'modifyVectorStore' }),
    ({ before, after }) => get(after.asked, 'name') === null && (text(before.answer, 'name') ?? '') !== '',
  ),
  taken: ({ before, after }) => {
    if (after.answer === undefined) return after.outcome === 'rejected' ? 'refused' : null;
    return get(after.answer, 'name') === get(before.answer, 'name') ? 'passed over' : 'taken away';
  },
});

export const unsetPolicy = choice({
  id: 'vector-stores.policy.unset',
  spec: SPEC,
  says: 'How expires_after reads where no policy was given.',
  places: ['vector_store:expires_after'],
  alternatives: ['null', 'absent', 'an empty object', 'a policy of its own'],
  on: only(answers('createVectorStore'), ({ asked }) => (get(asked, 'expires_after') ?? null) === null),
  taken: ({ answer }) => {
    const policy = get(answer, 'expires_after');
    if (policy === undefined) return 'absent';
    if (policy === null) return 'null';
    return same(policy, {}) ? 'an empty object' : 'a policy of its own';
  },
  examples: {
    'an empty object': inAnswerWhere(
      'createVectorStore',
      ({ request }) => (get(request.body.json?.value, 'expires_after') ?? null) === null,
      put('/expires_after', {}),
    ),
  },
});

export const policyFields = choice({
  id: 'vector-stores.policy.fields',
  spec: SPEC,
  says: 'Which fields a policy has beside its duration.',
  alternatives: ['none', 'anchor', 'anchor, days'],
  on: only(told, ({ answer }) => isObject(get(answer, 'expires_after'))),
  taken: ({ answer }) => {
    const policy = get(answer, 'expires_after');
    const fields = isObject(policy) ? Object.keys(policy).filter((name) => name !== 'duration') : [];
    return fields.length === 0 ? 'none' : fields.sort().join(', ');
  },
});

export const nullPolicy = choice({
  id: 'vector-stores.policy.null',
  spec: ENDPOINTS,
  says: 'Whether a policy is taken away by modifying it to null.',
  alternatives: ['taken away', 'passed over', 'refused'],
  on: only(
    successions({ first: TELLING, later: 'modifyVectorStore' }),
    ({ before, after }) =>
      get(after.asked, 'expires_after') === null && isObject(get(before.answer, 'expires_after')),
  ),
  taken: ({ after }) => {
    if (after.answer === undefined) return after.outcome === 'rejected' ? 'refused' : null;
    return isObject(get(after.answer, 'expires_after')) ? 'passed over' : 'taken away';
  },
});

export const expiryCounts = choice({
  id: 'vector-stores.policy.counts-from',
  spec: SPEC,
  says: 'From which moment the duration of a policy counts.',
  alternatives: ['creation', 'last activity', 'creation or last activity, in the same second'],
  on: only(told, ({ answer }) => number(answer, 'expires_at') !== undefined),
  taken: ({ answer }) => {
    const [at, duration] = [number(answer, 'expires_at'), number(answer, 'expires_after', 'duration')];
    if (at === undefined || duration === undefined) return null;
    const isCreation = number(answer, 'created_at') === at - duration;
    const isActivity = (number(answer, 'last_active_at') ?? number(answer, 'last_used_at')) === at - duration;
    if (isCreation && isActivity) return 'creation or last activity, in the same second';
    return isCreation ? 'creation' : isActivity ? 'last activity' : 'another moment';
  },
});

export const afterInProgress = choice({
  id: 'vector-stores.states.from-in-progress',
  spec: SPEC,
  says: 'Which state of a store follows in_progress.',
  alternatives: ['completed', 'expired'],
  on: moves(),
  taken: (move) => next('in_progress', move),
});

export const afterCompleted = choice({
  id: 'vector-stores.states.from-completed',
  spec: SPEC,
  says: 'Which state of a store follows completed.',
  alternatives: ['expired', 'in_progress'],
  on: moves(),
  taken: (move) => next('completed', move),
});

export const countSum = choice({
  id: 'vector-stores.counts.sum',
  spec: SPEC,
  says: 'Whether the total of a store’s files is the sum of the other counts.',
  alternatives: ['the sum', 'another number'],
  on: told,
  taken: ({ answer }) => sumOfCounts(answer),
});

export const usageSum = choice({
  id: 'vector-stores.usage.sum',
  spec: SPEC,
  says: 'Whether the bytes that a store uses are the sum of what its files use.',
  alternatives: ['the sum', 'another number'],
  on: tallies({
    tell: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
    add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
  }),
  taken: ({ told: store, files }) => {
    const used = number(store, 'usage_bytes') ?? number(store, 'bytes');
    const each = files.map((file) => number(file, 'usage_bytes'));
    if (used === undefined || each.includes(undefined)) return null;
    return each.reduce<number>((sum, one) => sum + (one ?? 0), 0) === used ? 'the sum' : 'another number';
  },
});

export const unknownFile = choice({
  id: 'vector-stores.create.unknown-file',
  spec: ENDPOINTS,
  says: 'Whether a store is created that is to have a file that nobody uploaded.',
  alternatives: ['refused', 'created'],
  on: only(requests('createVectorStore'), ({ call }) => {
    const { probe } = call.exchange;
    return probe?.pointer === 'body.file_ids[]' && probe.keyword === 'unknown' && tells(call);
  }),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'created' : 'refused'),
});

export const takesFiles = choice({
  id: 'vector-stores.expired.takes-files',
  spec: SPEC,
  says: 'Whether a store that is expired takes further files.',
  alternatives: ['refused', 'accepted'],
  on: only(
    successions({
      first: TELLING,
      later: 'createVectorStoreFile',
      about: ({ path, answer }) => path['vector_store_id'] ?? text(answer, 'id'),
    }),
    ({ before, after }) => text(before.answer, 'status') === 'expired' && tells(after),
  ),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'accepted' : 'refused'),
});

export const missingHeader = choice({
  id: 'vector-stores.header.missing',
  spec: '1 Versioning',
  says: 'What a request for a store gets without a beta header.',
  alternatives: ['the store', 'refused'],
  on: only(requests('retrieveVectorStore'), ({ call }) => {
    const { headers } = call.exchange.request;
    return tells(call) && !headers.some(([, value]) => value.includes('assistants='));
  }),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'the store' : 'refused'),
});

export const deletedTwice = choice({
  id: 'vector-stores.delete.again',
  spec: ENDPOINTS,
  says: 'How the deletion of a store that is deleted already is answered.',
  alternatives: ['refused', 'deleted again'],
  on: only(successions({ first: 'deleteVectorStore', later: 'deleteVectorStore' }), ({ after }) =>
    tells(after),
  ),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'deleted again' : 'refused'),
});

function moves() {
  return successions({ first: TELLING, later: TELLING });
}

function next(state: string, { before, after }: Succession): string | null {
  const [from, to] = [text(before.answer, 'status'), text(after.answer, 'status')];
  return from === state && to !== undefined && to !== from ? to : null;
}

function named(answer: Parameters<typeof get>[0], one: string, other: string): string {
  const [first, second] = [get(answer, one) !== undefined, get(answer, other) !== undefined];
  if (first && second) return 'both';
  return first ? one : second ? other : 'none';
}

function unset(value: ReturnType<typeof get>): string {
  if (value === undefined) return 'absent';
  return value === null ? 'null' : value === '' ? 'empty' : 'another name';
}
