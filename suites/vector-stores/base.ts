import type { Stage } from '../../drive/scenario.ts';
import { base, type Ready } from '../generate/base.ts';
import { DAY, files, store } from './samples.ts';

const samples: Ready['samples'] = { 'expires_after.duration': () => DAY };

const ofOwnStore = async (stage: Stage) => ({ path: { vector_store_id: await store(stage) } });

export const createVectorStore = base({
  operation: 'createVectorStore',
  ready: (stage) => ({ cheap: { name: stage.tag }, samples: { ...samples, name: () => stage.tag } }),
});

/** Only these need files that exist. */
export const createVectorStoreWithFiles = base({
  operation: 'createVectorStore',
  only: ['body.file_ids*'],
  ready: async (stage) => {
    const [file = ''] = await files(stage, 1);
    return { cheap: { name: stage.tag }, samples: { 'file_ids[]': () => file } };
  },
});

export const listVectorStores = base({
  operation: 'listVectorStores',
  ready: async (stage) => {
    const id = await store(stage);
    return { samples: { 'query.after': () => id, 'query.before': () => id } };
  },
});

export const retrieveVectorStore = base({ operation: 'retrieveVectorStore', ready: ofOwnStore });

export const modifyVectorStore = base({
  operation: 'modifyVectorStore',
  ready: async (stage) => ({ ...(await ofOwnStore(stage)), samples: { ...samples, name: () => stage.tag } }),
});

export const deleteVectorStore = base({ operation: 'deleteVectorStore', ready: ofOwnStore });
