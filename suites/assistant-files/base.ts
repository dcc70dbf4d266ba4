import { uploadSample } from '../files/samples.ts';
import { baseRequest, pathRequests } from '../generate/requests.ts';
import { attachFile, createOwner } from './samples.ts';

export const createAssistantFile = baseRequest({
  operation: 'createAssistantFile',
  roles: ['assistant'],
  ready: async (context) => {
    const file = await uploadSample(context, 'assistants');
    return { path: await createOwner(context), fields: { file_id: file }, samples: { file_id: () => file } };
  },
});

export const listAssistantFiles = baseRequest({
  operation: 'listAssistantFiles',
  roles: ['assistant'],
  ready: async (context) => {
    const path = await createOwner(context);
    const cursor = await attachFile(context, path);
    return { path, samples: { 'query.after': () => cursor, 'query.before': () => cursor } };
  },
});

export const assistantFilesByPath = pathRequests(
  ['retrieveAssistantFile', 'deleteAssistantFile'],
  async (context) => {
    const path = await createOwner(context);
    return { ...path, file_id: await attachFile(context, path) };
  },
  { roles: ['assistant'] },
);
