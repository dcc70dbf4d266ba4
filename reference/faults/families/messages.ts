import type { Fault } from '../fault.ts';
import { listFaults } from '../lists.ts';
import { ignoreField, ignoreQuery, replaceBody } from '../requests.ts';
import { setInResponse } from '../responses.ts';

export const faults: readonly Fault[] = [
  {
    id: 'messages-run-filter-ignored',
    says: 'ignores run_id when listing messages',
    filed: 'MLT-OSS/open-assistant-api#57',
    requirement: 'listMessages.page.filter-run-id',
    on: ['listMessages'],
    does: ignoreQuery('run_id'),
  },
  {
    id: 'messages-text-changed',
    says: 'stores the text of messages in capitals',
    requirement: 'messages.create.text-kept',
    on: ['createMessage'],
    does: setInResponse('/content/*/text/value', (text) => String(text).toUpperCase()),
  },
  {
    id: 'messages-role-ignored',
    says: 'all messages have the role user',
    requirement: 'messages.create.keeps-role',
    on: ['createMessage'],
    does: replaceBody((body) => ({ ...body, role: 'user' })),
  },
  {
    id: 'messages-files-dropped',
    says: 'messages always have an empty file_ids',
    requirement: 'messages.create.keeps-file-ids',
    on: ['createMessage'],
    does: ignoreField('file_ids'),
  },
  {
    id: 'messages-of-another-thread',
    says: 'messages have the id of another thread',
    requirement: 'messages.object.names-thread-id',
    on: ['createMessage', 'retrieveMessage'],
    does: setInResponse('/thread_id', 'thread_another'),
  },
  ...listFaults('messages', 'listMessages', ['order-asc', 'before']),
];
