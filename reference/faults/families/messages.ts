import {
  changeResponse,
  findBelowAnyOwner,
  ignoreField,
  ignoreQuery,
  replaceBody,
  setAtPointer,
  setInResponse,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

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
  {
    id: 'messages-below-any-thread',
    says: 'finds a message below any thread',
    requirement: 'retrieveMessage:path.message_id#unknown.rejected',
    on: ['createMessage', 'retrieveMessage'],
    does: findBelowAnyOwner('message_id'),
  },
  {
    id: 'messages-content-modified',
    says: 'a modification replaces the text of a message',
    requirement: 'messages.modify.only-metadata',
    on: ['modifyMessage'],
    does: changeResponse((answer, { body }) =>
      typeof body['content'] === 'string'
        ? setAtPointer(answer, '/content/0/text/value', body['content'])
        : answer,
    ),
  },
  {
    id: 'messages-incomplete-details-empty',
    says: 'completed messages have an empty incomplete_details',
    requirement: 'messages.incomplete.only-then',
    on: ['createMessage', 'retrieveMessage'],
    does: setInResponse('/incomplete_details', (old) => old ?? {}),
  },
  ...listFaults('messages', 'listMessages', ['order-asc', 'before']),
];
