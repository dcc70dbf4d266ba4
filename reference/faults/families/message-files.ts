import { setInResponse } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'message-files-of-another',
    says: 'files of messages have the id of another message',
    requirement: 'message-files.object.names-message-id',
    on: ['retrieveMessageFile'],
    does: setInResponse('/message_id', 'msg_another'),
  },
  {
    id: 'message-files-another-retrieved',
    says: 'retrieves another file than the requested one',
    requirement: 'message-files.retrieve.tells-id',
    on: ['retrieveMessageFile'],
    does: setInResponse('/id', 'file-another'),
  },
  ...listFaults('message-files', 'listMessageFiles', ['limit']),
];
