import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, pathRequests, type ReadyRequest, renewAfterPairs } from '../generate/requests.ts';
import { createSampleStore, ONE_DAY, uploadStoreFiles } from './samples.ts';

const samples: ReadyRequest['samples'] = { 'expires_after.duration': () => ONE_DAY };

const storePath = async (context: ScenarioContext) => ({ vector_store_id: await createSampleStore(context) });

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

export const storesByPath = pathRequests(['retrieveVectorStore', 'deleteVectorStore'], storePath);

export const modifyVectorStore = baseRequest({
  operation: 'modifyVectorStore',
  ready: async (context) => ({
    path: await storePath(context),
    samples: { ...samples, name: () => context.tag },
    renew: renewAfterPairs(() => storePath(context)),
  }),
});
