import { ignoreField, setInResponse, skipDeletion, skipModification } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

const form = 'v1';

export const faults: readonly Fault[] = [
  {
    id: 'legacy-beta-header-ignored',
    says: 'v1 assistants lack file_ids',
    requirement: 'assistant.v1:file_ids#required',
    on: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
    form,
    does: setInResponse('/file_ids', () => undefined),
  },
  {
    id: 'legacy-assistants-files-dropped',
    says: 'v1 assistants always have an empty file_ids',
    requirement: 'assistants-v1.create.keeps-file-ids',
    on: ['createAssistant'],
    form,
    does: ignoreField('file_ids'),
  },
  {
    id: 'legacy-assistants-files-reversed',
    says: 'file_ids of v1 assistants is in reverse order',
    requirement: 'assistants-v1.object.file-ids-by-age',
    on: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
    form,
    does: setInResponse('/file_ids', (ids) => (Array.isArray(ids) ? ids.toReversed() : ids)),
  },
  {
    id: 'legacy-assistants-modify-not-stored',
    says: 'modifications are answered but not stored',
    requirement: 'assistants-v1.retrieve.as-modified',
    on: ['modifyAssistant'],
    form,
    does: skipModification('retrieveAssistant'),
  },
  {
    id: 'legacy-assistants-deletion-without-effect',
    says: 'deletions are confirmed but the assistant is kept',
    requirement: 'assistants-v1.delete.gone-from-retrieve',
    on: ['deleteAssistant'],
    form,
    does: skipDeletion('retrieveAssistant', 'assistant.deleted'),
  },
  {
    id: 'legacy-assistants-model-fixed',
    says: 'modifications of the model are answered with the model before',
    requirement: 'assistants-v1.modify.keeps-model',
    on: ['modifyAssistant'],
    form,
    does: ignoreField('model'),
  },
  ...listFaults('legacy-assistants', 'listAssistants', ['after', 'has-more'], form),
];
