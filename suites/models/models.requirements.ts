import { showsExistence } from '../files/file.ts';
import { stillListedMutations } from '../generate/objects.requirements.ts';
import { isSameModel } from '../rows/model-names.ts';
import { removeIn, setIn, succeedInstead, swapResponses, withStatusOf } from '../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  absences,
  lists,
  responses,
  settled,
  showed,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../vocabulary/statements.ts';
import type { Exchange } from '../vocabulary/types.ts';
import { type ListedModel, listedModels, listsAfterAnswers } from './listed.ts';

const { implied } = section('2 Models');
const RETRIEVE = 'retrieveModel';
const DELETE = 'deleteModel';

export const modelsListEachOnce = implied('models.list.each-once', {
  says: 'The list has each model once.',
  selector: where(responses('listModels'), lists('data')),
  check: ({ answer }) => {
    const ids = arrayAt(answer, 'data').map((one) => textAt(one, 'id'));
    return ids.flatMap((id, i) =>
      id === undefined || ids.indexOf(id) === i ? [] : [violation(`/data/${i}/id`, 'each model once', id)],
    );
  },
  mutations: {
    'one twice': setIn('listModels', '/data', (data) => [...arrayAt(data), ...arrayAt(data).slice(0, 1)]),
    'all twice': setIn('listModels', '/data', (data) => [...arrayAt(data), ...arrayAt(data)]),
  },
});

export const modelsListNotEmpty = implied('models.list.not-empty', {
  says: 'The list of a service whose models answer has at least one model.',
  selector: listsAfterAnswers,
  check: ({ json: answer, answered }) =>
    arrayAt(answer, 'data').length > 0
      ? []
      : [violation('/data', `a model, as one answered in ${answered.id}`, valueAtPath(answer, 'data'))],
  mutations: {
    'none listed': setIn('listModels', '/data', []),
    'no list': removeIn('listModels', '/data'),
  },
});

export const modelsRetrieveAsAsked = implied('models.retrieve.as-asked', {
  says: 'The retrieved model is the requested one, possibly under a longer name.',
  selector: responses(RETRIEVE),
  check: ({ call, answer }) =>
    isSameModel(call.path['model'], valueAtPath(answer, 'id'))
      ? []
      : [violation('/id', String(call.path['model']), valueAtPath(answer, 'id'))],
  mutations: {
    'another one': setIn(RETRIEVE, '/id', 'another-model'),
    'that of another call': swapResponses(RETRIEVE),
    'a larger one': setIn(RETRIEVE, '/id', (id) => `${id}-large`),
  },
});

const foundOrNot = that<ListedModel>('that is found or not', ({ retrieved }) => showsExistence(retrieved));

export const modelsRetrieveListedIsFound = implied('models.retrieve.listed-is-found', {
  says: 'A model that is listed is found.',
  selector: where(listedModels, foundOrNot),
  check: ({ retrieved }) =>
    retrieved.responseClass === 'accepted' ? [] : [violation('status', '2xx', retrieved.status ?? null)],
  mutations: {
    'not found': withStatusOf(RETRIEVE, 404),
    'a bad request': withStatusOf(RETRIEVE, 400),
  },
});

export const modelsRetrieveAsListed = implied('models.retrieve.as-listed', {
  says: 'A model is retrieved as it is listed.',
  // Where an id is an alias of another model, the response has the name of that model.
  selector: where(
    listedModels,
    ({ listed, retrieved }) =>
      retrieved.responseJson !== undefined &&
      valueAtPath(retrieved.responseJson, 'id') === valueAtPath(listed, 'id'),
  ),
  check: ({ listed, retrieved }) =>
    ['object', 'created', 'owned_by']
      .filter((field) => valueAtPath(listed, field) !== valueAtPath(retrieved.responseJson, field))
      .map((field) =>
        violation(
          `/${field}`,
          `${JSON.stringify(valueAtPath(listed, field))}, as listed`,
          valueAtPath(retrieved.responseJson, field),
        ),
      ),
  mutations: {
    'another owner': setIn(RETRIEVE, '/owned_by', 'somebody-else'),
    'another time': setIn(RETRIEVE, '/created', 1),
    'other owners in the list': setIn('listModels', '/data/*/owned_by', 'somebody-else'),
  },
});

export const modelsDeleteTellsId = implied('models.delete.tells-id', {
  says: 'The response to a deletion has the id of the model in its request.',
  selector: responses(DELETE),
  check: ({ call, answer }) => fieldIs(answer, 'id', call.path['model']),
  mutations: {
    'another id': setIn(DELETE, '/id', 'another-model'),
    'no id': removeIn(DELETE, '/id'),
  },
});

export const modelsDeleteGoneFromRetrieve = implied('models.delete.gone-from-retrieve', {
  says: 'A deleted model can no longer be retrieved.',
  selector: where(successions({ first: DELETE, later: RETRIEVE }), showed('deleted', true), settled),
  check: ({ after }) =>
    after.responseClass === 'accepted' ? [violation('status', 'no 2xx', after.status ?? null)] : [],
  mutations: {
    'still there': succeedInstead(RETRIEVE, asIfThere),
    'marked as deleted': succeedInstead(RETRIEVE, (one) => ({ ...asIfThere(one), deleted: true })),
  },
});

export const modelsDeleteGoneFromList = implied('models.delete.gone-from-list', {
  says: 'A deleted model is not in the list.',
  selector: absences({ remove: DELETE, list: 'listModels' }),
  check: ({ id, index }) => (index === -1 ? [] : [violation(`/data/${index}`, `no model ${id}`, id)]),
  mutations: stillListedMutations(DELETE, 'listModels', asIfThere),
});

function asIfThere({ request }: Exchange) {
  const id = decodeURIComponent(request.target.split('/')[3] ?? '');
  return { id, object: 'model', created: 1, owned_by: 'somebody' };
}
