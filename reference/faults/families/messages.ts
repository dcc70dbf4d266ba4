import type { Fault } from '../fault.ts';
import { listFaults } from '../lists.ts';
import { ignoreField, ignoreQuery, replaceBody } from '../requests.ts';
import { setInResponse } from '../responses.ts';

export const faults: readonly Fault[] = [
  {
    id: 'messages-run-filter-ignored',
    says: 'the messages of one run are listed with all others',
    requirement: 'listMessages.page.filter-run-id',
    on: ['listMessages'],
    does: ignoreQuery('run_id'),
  },
  {
    id: 'messages-text-changed',
    says: 'the text of a message is stored in capitals',
    requirement: 'messages.create.text-kept',
    on: ['createMessage'],
    does: setInResponse('/content/*/text/value', (text) => String(text).toUpperCase()),
  },
  {
    id: 'messages-role-ignored',
    says: 'every message is of a user',
    requirement: 'messages.create.keeps-role',
    on: ['createMessage'],
    does: replaceBody((body) => ({ ...body, role: 'user' })),
  },
  {
    id: 'messages-files-dropped',
    says: 'a message has no files, whatever it was given',
    requirement: 'messages.create.keeps-file-ids',
    on: ['createMessage'],
    does: ignoreField('file_ids'),
  },
  {
    id: 'messages-of-another-thread',
    says: 'a message names another thread',
    requirement: 'messages.object.names-thread-id',
    on: ['createMessage', 'retrieveMessage'],
    does: setInResponse('/thread_id', 'thread_another'),
  },
  ...listFaults('messages', 'listMessages', ['order-asc', 'before']),
];
