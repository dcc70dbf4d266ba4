import {
  changeResponse,
  envelopeElements,
  setAtPointer,
  setInResponse,
  skipDeletion,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';

export const faults: readonly Fault[] = [
  {
    id: 'models-deletion-without-effect',
    says: 'deletions are confirmed but the model is kept',
    requirement: 'models.delete.gone-from-retrieve',
    on: ['deleteModel'],
    does: skipDeletion('retrieveModel', 'model'),
  },
  {
    id: 'models-another-retrieved',
    says: 'retrieves another model than the requested one',
    requirement: 'models.retrieve.as-asked',
    on: ['retrieveModel'],
    does: setInResponse('/id', 'another-model'),
  },
  {
    id: 'models-listed-twice',
    says: 'the list contains its first model twice',
    requirement: 'models.list.each-once',
    on: ['listModels'],
    does: changeResponse((answer) =>
      setAtPointer(answer, '/data', [...envelopeElements(answer).slice(0, 1), ...envelopeElements(answer)]),
    ),
  },
  {
    id: 'models-owner-missing',
    says: 'models lack owned_by',
    requirement: 'model:owned_by#required',
    on: ['retrieveModel', 'listModels'],
    does: changeResponse((answer) =>
      setAtPointer(
        setAtPointer(answer, '/owned_by', () => undefined),
        '/data/*/owned_by',
        () => undefined,
      ),
    ),
  },
];
