import type { Exchange } from '../../exchange/exchange.ts';
import { arrayAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import { absences } from '../../judge/evidence/selectors/membership.ts';
import { successions } from '../../judge/evidence/selectors/relations.ts';
import { swapResponses } from '../../judge/mutations/across-exchanges.ts';
import { inResponse, succeedInstead, withStatusOf } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { showsExistence } from '../files/file.ts';
import { stillListedMutations } from '../generate/relations/still-listed.ts';
import { namesRequestedModel } from '../runs/selectors/echoed-fields.ts';
import { listedModels, listsAfterAnswers } from './listed.ts';

const { implied } = section('2 Models');

export const modelsListEachOnce = implied('models.list.each-once', {
  says: 'The list has each model once.',
  selector: where(responses('listModels'), ({ json: answer }) => arrayAt(answer, 'data').length > 0),
  check: ({ json: answer }) => {
    const ids = arrayAt(answer, 'data').map((one) => textAt(one, 'id'));
    return ids.flatMap((id, i) =>
      id === undefined || ids.indexOf(id) === i
        ? []
        : [{ at: `/data/${i}/id`, expected: 'each model once', actual: id }],
    );
  },
  mutations: {
    'one twice': inResponse(
      'listModels',
      setValue('/data', (data) => [...arrayAt(data), ...arrayAt(data).slice(0, 1)]),
    ),
    'all twice': inResponse(
      'listModels',
      setValue('/data', (data) => [...arrayAt(data), ...arrayAt(data)]),
    ),
  },
});

export const modelsListNotEmpty = implied('models.list.not-empty', {
  says: 'The list of a service whose models answer has at least one model.',
  selector: listsAfterAnswers(),
  check: ({ json: answer, answered }) =>
    arrayAt(answer, 'data').length > 0
      ? []
      : [{ at: '/data', expected: `a model, as one answered in ${answered.id}`, actual: [] }],
  mutations: {
    'none listed': inResponse('listModels', setValue('/data', [])),
    'no list': inResponse('listModels', removeValue('/data')),
  },
});

export const modelsRetrieveAsAsked = implied('models.retrieve.as-asked', {
  says: 'The retrieved model is the requested one, possibly under a longer name.',
  selector: responses('retrieveModel'),
  check: ({ call, json: answer }) =>
    namesRequestedModel(call.path['model'], valueAtPath(answer, 'id'))
      ? []
      : [{ at: '/id', expected: String(call.path['model']), actual: valueAtPath(answer, 'id') }],
  mutations: {
    'another one': inResponse('retrieveModel', setValue('/id', 'another-model')),
    'that of another call': swapResponses('retrieveModel'),
    'a larger one': inResponse(
      'retrieveModel',
      setValue('/id', (id) => `${id}-large`),
    ),
  },
});

export const modelsRetrieveListedIsFound = implied('models.retrieve.listed-is-found', {
  says: 'A model that is listed is found.',
  selector: where(listedModels(), ({ retrieved }) => showsExistence(retrieved)),
  check: ({ retrieved }) =>
    retrieved.responseClass === 'accepted'
      ? []
      : [{ at: 'status', expected: '2xx', actual: retrieved.status ?? null }],
  mutations: {
    'not found': withStatusOf('retrieveModel', 404),
    'a bad request': withStatusOf('retrieveModel', 400),
  },
});

export const modelsRetrieveAsListed = implied('models.retrieve.as-listed', {
  says: 'A model is retrieved as it is listed.',
  // Where an id is an alias of another model, the response has the name of that model.
  selector: where(
    listedModels(),
    ({ listed, retrieved }) =>
      retrieved.responseJson !== undefined &&
      valueAtPath(retrieved.responseJson, 'id') === valueAtPath(listed, 'id'),
  ),
  check: ({ listed, retrieved }) =>
    ['object', 'created', 'owned_by']
      .filter((field) => valueAtPath(listed, field) !== valueAtPath(retrieved.responseJson, field))
      .map((field) => ({
        at: `/${field}`,
        expected: `${JSON.stringify(valueAtPath(listed, field))}, as listed`,
        actual: valueAtPath(retrieved.responseJson, field),
      })),
  mutations: {
    'another owner': inResponse('retrieveModel', setValue('/owned_by', 'somebody-else')),
    'another time': inResponse('retrieveModel', setValue('/created', 1)),
    'other owners in the list': inResponse('listModels', setValue('/data/*/owned_by', 'somebody-else')),
  },
});

export const modelsDeleteTellsId = implied('models.delete.tells-id', {
  says: 'The response to a deletion has the id of the model in its request.',
  selector: responses('deleteModel'),
  check: ({ call, json: answer }) =>
    valueAtPath(answer, 'id') === call.path['model']
      ? []
      : [{ at: '/id', expected: String(call.path['model']), actual: valueAtPath(answer, 'id') }],
  mutations: {
    'another id': inResponse('deleteModel', setValue('/id', 'another-model')),
    'no id': inResponse('deleteModel', removeValue('/id')),
  },
});

export const modelsDeleteGoneFromRetrieve = implied('models.delete.gone-from-retrieve', {
  says: 'A deleted model can no longer be retrieved.',
  selector: where(
    successions({ first: 'deleteModel', later: 'retrieveModel' }),
    ({ before, after }) => valueAtPath(before.responseJson, 'deleted') === true && showsExistence(after),
  ),
  check: ({ after }) =>
    after.responseClass === 'accepted'
      ? [{ at: 'status', expected: 'no 2xx', actual: after.status ?? null }]
      : [],
  mutations: {
    'still there': succeedInstead('retrieveModel', asIfThere),
    'marked as deleted': succeedInstead('retrieveModel', (one) => ({ ...asIfThere(one), deleted: true })),
  },
});

export const modelsDeleteGoneFromList = implied('models.delete.gone-from-list', {
  says: 'A deleted model is not in the list.',
  selector: absences({ remove: 'deleteModel', list: 'listModels' }),
  check: ({ id, index }) =>
    index === -1 ? [] : [{ at: `/data/${index}`, expected: `no model ${id}`, actual: id }],
  mutations: stillListedMutations('deleteModel', 'listModels', asIfThere),
});

function asIfThere({ request }: Exchange) {
  const id = decodeURIComponent(request.target.split('/')[3] ?? '');
  return { id, object: 'model', created: 1, owned_by: 'somebody' };
}
