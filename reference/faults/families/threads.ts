import { findUnknown, ignoreField, skipDeletion, skipModification } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';

export const faults: readonly Fault[] = [
  {
    id: 'threads-messages-outlive',
    says: 'messages of deleted threads are still retrieved',
    requirement: 'threads.delete.messages-gone',
    on: ['retrieveMessage'],
    does: findUnknown((id) => ({ id, object: 'thread.message' })),
  },
  {
    id: 'threads-messages-lost',
    says: 'ignores the messages of a new thread',
    requirement: 'threads.create.messages-listed',
    on: ['createThread'],
    does: ignoreField('messages'),
  },
  {
    id: 'threads-metadata-dropped',
    says: 'threads always have empty metadata',
    requirement: 'threads.create.keeps-metadata',
    on: ['createThread'],
    does: ignoreField('metadata'),
  },
  {
    id: 'threads-modify-not-stored',
    says: 'modifications are answered but not stored',
    requirement: 'threads.retrieve.as-modified',
    on: ['modifyThread'],
    does: skipModification('retrieveThread'),
  },
  {
    id: 'threads-deletion-without-effect',
    says: 'deletions are confirmed but the thread is kept',
    requirement: 'threads.delete.gone-from-retrieve',
    on: ['deleteThread'],
    does: skipDeletion('retrieveThread', 'thread.deleted'),
  },
];
