import type { Exchange } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { answersOfOthers } from '../../judge/edit/between.ts';
import { inAnswer, status, succeedAnyway } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { absences } from '../../judge/selectors/membership.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { stillListed } from '../generate/relations/still-listed.ts';
import { namesModel } from '../runs/echo.ts';
import { models } from './listed.ts';

const SPEC = '2 Models';

export const listedOnce = requirement({
  id: 'models.list.each-once',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The list has each model once.',
  on: only(answers('listModels'), ({ answer }) => list(answer, 'data').length > 0),
  check: ({ answer }) => {
    const ids = list(answer, 'data').map((one) => text(one, 'id'));
    return ids.flatMap((id, i) =>
      id === undefined || ids.indexOf(id) === i
        ? []
        : [{ at: `/data/${i}/id`, expected: 'each model once', actual: id }],
    );
  },
  breaks: {
    'one twice': inAnswer(
      'listModels',
      put('/data', (data) => [...list(data), ...list(data).slice(0, 1)]),
    ),
    'all twice': inAnswer(
      'listModels',
      put('/data', (data) => [...list(data), ...list(data)]),
    ),
  },
});

export const askedFor = requirement({
  id: 'models.retrieve.as-asked',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The model that is retrieved is the one that was asked for, perhaps by a fuller name.',
  on: answers('retrieveModel'),
  check: ({ call, answer }) =>
    namesModel(call.path['model'], get(answer, 'id'))
      ? []
      : [{ at: '/id', expected: String(call.path['model']), actual: get(answer, 'id') }],
  breaks: {
    'another one': inAnswer('retrieveModel', put('/id', 'another-model')),
    'that of another call': answersOfOthers('retrieveModel'),
    'a larger one': inAnswer(
      'retrieveModel',
      put('/id', (id) => `${id}-large`),
    ),
  },
});

export const found = requirement({
  id: 'models.retrieve.listed-is-found',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A model that is listed is found.',
  on: only(models(), ({ retrieved }) => tells(retrieved)),
  check: ({ retrieved }) =>
    retrieved.outcome === 'accepted'
      ? []
      : [{ at: 'status', expected: '2xx', actual: retrieved.status ?? null }],
  breaks: {
    'not found': status('retrieveModel', 404),
    'a bad request': status('retrieveModel', 400),
  },
});

export const asListed = requirement({
  id: 'models.retrieve.as-listed',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A model is retrieved as it is listed.',
  // Where an id stands for a model of another name, that one is told.
  on: only(
    models(),
    ({ listed, retrieved }) =>
      retrieved.answer !== undefined && get(retrieved.answer, 'id') === get(listed, 'id'),
  ),
  check: ({ listed, retrieved }) =>
    ['object', 'created', 'owned_by']
      .filter((field) => get(listed, field) !== get(retrieved.answer, field))
      .map((field) => ({
        at: `/${field}`,
        expected: `${JSON.stringify(get(listed, field))}, as listed`,
        actual: get(retrieved.answer, field),
      })),
  breaks: {
    'another owner': inAnswer('retrieveModel', put('/owned_by', 'somebody-else')),
    'another time': inAnswer('retrieveModel', put('/created', 1)),
    'other owners in the list': inAnswer('listModels', put('/data/*/owned_by', 'somebody-else')),
  },
});

export const deletedId = requirement({
  id: 'models.delete.tells-id',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The answer to a deletion names the model that was to be deleted.',
  on: answers('deleteModel'),
  check: ({ call, answer }) =>
    get(answer, 'id') === call.path['model']
      ? []
      : [{ at: '/id', expected: String(call.path['model']), actual: get(answer, 'id') }],
  breaks: {
    'another id': inAnswer('deleteModel', put('/id', 'another-model')),
    'no id': inAnswer('deleteModel', remove('/id')),
  },
});

export const goneFromRetrieve = requirement({
  id: 'models.delete.gone-from-retrieve',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A deleted model is not retrieved any more.',
  on: only(
    successions({ first: 'deleteModel', later: 'retrieveModel' }),
    ({ before, after }) => get(before.answer, 'deleted') === true && tells(after),
  ),
  check: ({ after }) =>
    after.outcome === 'accepted' ? [{ at: 'status', expected: 'no 2xx', actual: after.status ?? null }] : [],
  breaks: {
    'still there': succeedAnyway('retrieveModel', asIfThere),
    'marked as deleted': succeedAnyway('retrieveModel', (one) => ({ ...asIfThere(one), deleted: true })),
  },
});

export const goneFromList = requirement({
  id: 'models.delete.gone-from-list',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A deleted model is not listed any more.',
  on: absences({ remove: 'deleteModel', list: 'listModels' }),
  check: ({ id, index }) =>
    index === -1 ? [] : [{ at: `/data/${index}`, expected: `no model ${id}`, actual: id }],
  breaks: stillListed('deleteModel', 'listModels', asIfThere),
});

/** Whether an answer tells that something is there, or is not. */
function tells({ outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'absent' || outcome === 'rejected';
}

function asIfThere({ request }: Exchange) {
  const id = decodeURIComponent(request.target.split('/')[3] ?? '');
  return { id, object: 'model', created: 1, owned_by: 'somebody' };
}
