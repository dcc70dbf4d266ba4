import type { Resource } from '../generate/relations/resource.ts';

/** The tie between an assistant and a file; it has the file's id, and goes also when a modification leaves the file out. */
export const assistantFile = {
  area: 'assistant-files',
  noun: 'assistant file',
  spec: '1 Assistant file',
  create: 'createAssistantFile',
  retrieve: 'retrieveAssistantFile',
  list: 'listAssistantFiles',
  remove: 'deleteAssistantFile',
  hasBorrowedId: true,
  touchedBy: ['modifyAssistant'],
} satisfies Resource;
