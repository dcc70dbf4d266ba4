import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest, renewAfterPairs } from '../generate/requests.ts';
import { createSampleStore, ONE_DAY, uploadStoreFiles } from './samples.ts';

const samples: ReadyRequest['samples'] = { 'expires_after.duration': () => ONE_DAY };

const ofOwnStore = async (context: ScenarioContext) => ({
  path: { vector_store_id: await createSampleStore(context) },
});

export const createVectorStore = baseRequest({
  operation: 'createVectorStore',
  ready: (context) => ({ cheap: { name: context.tag }, samples: { ...samples, name: () => context.tag } }),
});

export const createVectorStoreWithFiles = baseRequest({
  operation: 'createVectorStore',
  only: ['body.file_ids*'],
  ready: async (context) => {
    const [file = ''] = await uploadStoreFiles(context, 1);
    return { cheap: { name: context.tag }, samples: { 'file_ids[]': () => file } };
  },
});

export const listVectorStores = baseRequest({
  operation: 'listVectorStores',
  ready: async (context) => {
    const id = await createSampleStore(context);
    return { samples: { 'query.after': () => id, 'query.before': () => id } };
  },
});

export const retrieveVectorStore = baseRequest({ operation: 'retrieveVectorStore', ready: ofOwnStore });

export const modifyVectorStore = baseRequest({
  operation: 'modifyVectorStore',
  ready: async (context) => ({
    ...(await ofOwnStore(context)),
    samples: { ...samples, name: () => context.tag },
    renew: renewAfterPairs(async () => (await ofOwnStore(context)).path),
  }),
});

export const deleteVectorStore = baseRequest({ operation: 'deleteVectorStore', ready: ofOwnStore });
