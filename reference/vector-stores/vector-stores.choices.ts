import {
  type Alternative,
  type ChoiceTable,
  confirmDeletion,
  dropFields,
  field,
  intercepting,
  objectOf,
  refuses,
} from '../deviations/alternatives.ts';
import type { Service } from '../state/service.ts';
import { storesOf } from './store.ts';

const STORE = 'vector_store';
const STORE_OPERATIONS = [
  'createVectorStore',
  'listVectorStores',
  'retrieveVectorStore',
  'modifyVectorStore',
  'deleteVectorStore',
];

export const choices: ChoiceTable = {
  'vector-store-files.delete.again': {
    usual: 'refused',
    others: {
      'removed again': confirmDeletion('deleteVectorStoreFile', 'vector_store.file.deleted', hasHeldFile),
    },
  },
  'vector-store-files.file-deleted.stays': {
    usual: 'stays',
    others: {
      gone: intercepting(['deleteFile'], {
        handle: (request, proceed) => {
          for (const { files } of storesOf(request.service).values())
            files.delete(request.path['file_id'] ?? '');
          return proceed(request);
        },
      }),
    },
  },
  'vector-stores.delete.again': {
    usual: 'refused',
    others: {
      'deleted again': confirmDeletion('deleteVectorStore', 'vector_store.deleted', storeHasExisted),
    },
  },
  'vector-stores.header.missing': {
    usual: 'the store',
    others: {
      refused: refuses(
        STORE_OPERATIONS,
        ({ service, request }) => request.headers[service.betaHeader] === undefined,
      ),
    },
  },
  'vector-stores.policy.fields': {
    usual: 'none',
    others: {
      'anchor, days': policy((duration) => ({
        anchor: 'last_active_at',
        days: Math.ceil(duration / 86_400),
      })),
      anchor: policy(() => ({ anchor: 'last_active_at' })),
    },
  },
  'vector-stores.policy.null': {
    usual: 'refused',
    others: { 'taken away': policyNull('taken away'), 'passed over': policyNull('passed over') },
  },
};

function policy(more: (duration: number) => Readonly<Record<string, string | number>>): Alternative {
  return field(STORE, '/expires_after', (shownPolicy) => {
    const { duration } = objectOf(shownPolicy);
    return typeof duration === 'number' ? { ...objectOf(shownPolicy), ...more(duration) } : shownPolicy;
  });
}

/** Accepts null for the policy of a store. The request schema rejects it, so it is replaced before validation. */
function policyNull(effect: 'taken away' | 'passed over'): Alternative {
  const MARK = 'removes_expires_after';
  return intercepting(['modifyVectorStore'], {
    body: (body) => {
      const sent = objectOf(body);
      return sent['expires_after'] === null ? { ...dropFields(sent, ['expires_after']), [MARK]: true } : body;
    },
    handle: (request, proceed) => {
      const store = storesOf(request.service).get(request.path['vector_store_id'] ?? '');
      if (effect === 'taken away' && request.body[MARK] === true && store !== undefined)
        store.expires_after = null;
      return proceed(request);
    },
  });
}

/** Whether the store ever existed, even if it has been deleted. */
function storeHasExisted(
  service: Service,
  { vector_store_id = '' }: Readonly<Record<string, string>>,
): boolean {
  return storesOf(service).place(vector_store_id) !== undefined;
}

/** Whether the file was ever in the store. */
function hasHeldFile(
  service: Service,
  { vector_store_id = '', file_id = '' }: Readonly<Record<string, string>>,
): boolean {
  return storesOf(service).get(vector_store_id)?.files.place(file_id) !== undefined;
}
