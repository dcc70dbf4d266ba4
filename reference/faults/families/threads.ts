import type { Fault } from '../fault.ts';
import { ignoreField } from '../requests.ts';
import { skipDeletion, skipModification } from '../side-effects.ts';

export const faults: readonly Fault[] = [
  {
    id: 'threads-messages-lost',
    says: 'a thread does not have the messages that it was created with',
    requirement: 'threads.create.messages-listed',
    on: ['createThread'],
    does: ignoreField('messages'),
  },
  {
    id: 'threads-metadata-dropped',
    says: 'a thread has no metadata, whatever it was given',
    requirement: 'threads.create.keeps-metadata',
    on: ['createThread'],
    does: ignoreField('metadata'),
  },
  {
    id: 'threads-modify-not-stored',
    says: 'a modification is answered, and not stored',
    requirement: 'threads.retrieve.as-modified',
    on: ['modifyThread'],
    does: skipModification('retrieveThread'),
  },
  {
    id: 'threads-deletion-without-effect',
    says: 'a deletion is answered, and the thread stays',
    requirement: 'threads.delete.gone-from-retrieve',
    on: ['deleteThread'],
    does: skipDeletion('retrieveThread', 'thread.deleted'),
  },
];
