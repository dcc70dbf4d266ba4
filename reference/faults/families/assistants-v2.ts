import {
  acceptAnyValue,
  ignoreField,
  resetOtherFields,
  setInResponse,
  skipDeletion,
  skipModification,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

const form = 'v2';

export const faults: readonly Fault[] = [
  {
    id: 'assistants-metadata-dropped',
    says: 'assistants always have empty metadata',
    requirement: 'assistants-v2.create.keeps-metadata',
    on: ['createAssistant'],
    form,
    does: ignoreField('metadata'),
  },
  {
    id: 'assistants-default-wrong',
    says: 'the default temperature of an assistant is 0.7',
    requirement: 'assistants-v2.create.default-temperature',
    on: ['createAssistant'],
    form,
    does: resetOtherFields({ temperature: 0.7 }),
  },
  {
    id: 'assistants-modify-not-stored',
    says: 'modifications are answered but not stored',
    requirement: 'assistants-v2.retrieve.as-modified',
    on: ['modifyAssistant'],
    form,
    does: skipModification('retrieveAssistant'),
  },
  {
    id: 'assistants-modify-wipes',
    says: 'modifications reset the name and the instructions if they omit them',
    requirement: 'assistants-v2.modify.keeps-the-rest',
    on: ['modifyAssistant'],
    form,
    does: resetOtherFields({ name: null, instructions: null }),
  },
  {
    id: 'assistants-deletion-without-effect',
    says: 'deletions are confirmed but the assistant is kept',
    requirement: 'assistants-v2.delete.gone-from-list',
    on: ['deleteAssistant'],
    form,
    does: skipDeletion('retrieveAssistant', 'assistant.deleted'),
  },
  {
    id: 'assistants-resources-lost',
    says: 'retrieved assistants lack tool_resources',
    requirement: 'assistants-v2.retrieve.as-created',
    on: ['retrieveAssistant'],
    form,
    does: setInResponse('/tool_resources', {}),
  },
  {
    id: 'assistants-name-unchecked',
    says: 'accepts names of more than 256 characters',
    requirement: 'createAssistant.v2:body.name#maxLength.rejected',
    on: ['createAssistant'],
    does: acceptAnyValue('name', (value) => String(value).length > 256),
  },
  {
    id: 'assistants-model-fixed',
    says: 'modifications of the model are answered with the model before',
    requirement: 'assistants-v2.modify.keeps-model',
    on: ['modifyAssistant'],
    form,
    does: ignoreField('model'),
  },
  ...listFaults('assistants', 'listAssistants', ['limit', 'default-order', 'closure'], form),
];
