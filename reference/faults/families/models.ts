import { answerWith, inAnswer } from '../answers.ts';
import { keeping } from '../deeds.ts';
import { elements, put } from '../edit.ts';
import type { Fault } from '../fault.ts';

export const faults: readonly Fault[] = [
  {
    id: 'models-deletion-without-effect',
    says: 'a deletion is answered, and the model stays',
    requirement: 'models.delete.gone-from-retrieve',
    on: ['deleteModel'],
    does: keeping('retrieveModel', 'model'),
  },
  {
    id: 'models-another-retrieved',
    says: 'another model is retrieved than the one asked for',
    requirement: 'models.retrieve.as-asked',
    on: ['retrieveModel'],
    does: answerWith('/id', 'another-model'),
  },
  {
    id: 'models-listed-twice',
    says: 'the list has its first model twice',
    requirement: 'models.list.each-once',
    on: ['listModels'],
    does: inAnswer((answer) => put(answer, '/data', [...elements(answer).slice(0, 1), ...elements(answer)])),
  },
  {
    id: 'models-owner-missing',
    says: 'models have no owner',
    requirement: 'model:owned_by#required',
    on: ['retrieveModel', 'listModels'],
    does: inAnswer((answer) =>
      put(
        put(answer, '/owned_by', () => undefined),
        '/data/*/owned_by',
        () => undefined,
      ),
    ),
  },
];
