import type { Resource } from '../generate/relations/resource.ts';

/** A message. How it is written down, and when it is complete, is its own matter; a run may still be writing it. */
export const messageResource = {
  area: 'messages',
  noun: 'message',
  spec: '1 Message',
  create: 'createMessage',
  retrieve: 'retrieveMessage',
  list: 'listMessages',
  modify: 'modifyMessage',
  moving: ['status', 'completed_at', 'incomplete_at', 'incomplete_details'],
  growing: { while: 'in_progress', fields: ['content'] },
  unlike: ['content'],
} satisfies Resource;

/** The tie between a message and a file: made with the message, and fixed from then on. */
export const messageFile = {
  area: 'message-files',
  noun: 'message file',
  spec: '1 Message file',
  retrieve: 'retrieveMessageFile',
  list: 'listMessageFiles',
  isFixed: true,
  hasBorrowedId: true,
} satisfies Resource;
