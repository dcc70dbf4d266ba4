import type { Stage } from '../../drive/scenario.ts';
import { uploaded } from '../files/samples.ts';
import { base } from '../generate/base.ts';
import { attached, owner } from './samples.ts';

export const createAssistantFile = base({
  operation: 'createAssistantFile',
  roles: ['assistant'],
  ready: async (stage) => {
    const file = await uploaded(stage, 'assistants');
    return { path: await owner(stage), fields: { file_id: file }, samples: { file_id: () => file } };
  },
});

export const listAssistantFiles = base({
  operation: 'listAssistantFiles',
  roles: ['assistant'],
  ready: async (stage) => {
    const path = await owner(stage);
    const cursor = await attached(stage, path);
    return { path, samples: { 'query.after': () => cursor, 'query.before': () => cursor } };
  },
});

export const retrieveAssistantFile = base({
  operation: 'retrieveAssistantFile',
  roles: ['assistant'],
  ready: ofOwn,
});

export const deleteAssistantFile = base({
  operation: 'deleteAssistantFile',
  roles: ['assistant'],
  ready: ofOwn,
});

async function ofOwn(stage: Stage) {
  const path = await owner(stage);
  return { path: { ...path, file_id: await attached(stage, path) } };
}
