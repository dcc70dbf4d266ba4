import type { Resource } from '../generate/relations/resource.ts';

const common = {
  noun: 'assistant',
  spec: '1 Assistant',
  create: 'createAssistant',
  retrieve: 'retrieveAssistant',
  list: 'listAssistants',
  modify: 'modifyAssistant',
  remove: 'deleteAssistant',
} as const;

/** Assistants of the beta form: what tools use may come and go with the tools. */
export const betaAssistant = {
  area: 'assistants-v2',
  variant: 'v2',
  ...common,
  follows: { tool_resources: ['tools'] },
} satisfies Resource;

/** Assistants of the legacy form: separate operations attach and detach their files. */
export const legacyAssistant = {
  area: 'assistants-v1',
  variant: 'v1',
  ...common,
  touchedBy: ['createAssistantFile', 'deleteAssistantFile'],
} satisfies Resource;
