import {
  acceptInvalid,
  findUnknown,
  ignoreField,
  setInResponse,
  skipDeletion,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

const attached = { object: 'assistant.file', created_at: 1, id: 'file-1', assistant_id: 'asst_1' } as const;

export const faults: readonly Fault[] = [
  {
    id: 'assistant-files-outlive',
    says: 'files of deleted assistants are still retrieved',
    requirement: 'assistants-v1.delete.files-gone',
    on: ['retrieveAssistantFile'],
    does: findUnknown((id) => ({ id, object: 'assistant.file' })),
  },
  {
    id: 'assistant-files-detachment-without-effect',
    says: 'deleting an attachment succeeds, but the file stays attached',
    requirement: 'assistant-files.delete.gone-from-list',
    on: ['deleteAssistantFile'],
    does: skipDeletion('retrieveAssistantFile', 'assistant.file.deleted'),
  },
  {
    id: 'assistant-files-purpose-unchecked',
    says: 'accepts files of any purpose as attachments',
    requirement: 'assistant-files.create.needs-purpose',
    on: ['createAssistantFile'],
    does: acceptInvalid('file_id', () => attached),
  },
  {
    id: 'assistant-files-of-another',
    says: 'attached files have the id of another assistant',
    requirement: 'assistant-files.object.names-assistant-id',
    on: ['createAssistantFile', 'retrieveAssistantFile'],
    does: setInResponse('/assistant_id', 'asst_another'),
  },
  {
    id: 'assistant-files-left-out-stay',
    says: 'files omitted by a modification stay attached',
    requirement: 'assistant-files.modify.left-out-is-detached',
    on: ['modifyAssistant'],
    form: 'v1',
    does: ignoreField('file_ids'),
  },
  ...listFaults('assistant-files', 'listAssistantFiles', ['before', 'order-asc']),
];
