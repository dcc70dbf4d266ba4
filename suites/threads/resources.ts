import type { Resource } from '../generate/relations/resource.ts';

/** A thread. Whether a modification changes its tool_resources is left open; a message or a run may add to them. */
export const threadResource = {
  area: 'threads',
  noun: 'thread',
  spec: '1 Thread',
  create: 'createThread',
  retrieve: 'retrieveThread',
  modify: 'modifyThread',
  remove: 'deleteThread',
  unlike: ['modify.tool_resources'],
  touchedBy: ['createMessage', 'createRun'],
} satisfies Resource;
