import {
  type Alternative,
  answers,
  type ChoiceTable,
  confirmDeletion,
  dropFields,
  elementsOf,
  field,
  fieldWhere,
  inPlace,
  intercepting,
  objectOf,
  refuses,
  refusesHeader,
  shown,
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
const NO_FILES = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 };

export const choices: ChoiceTable = {
  'vector-store-file-batches.cancel.answer': {
    usual: 'cancelling',
    others: {
      cancelled: { hides: ['vector-store-file-batches.states.from-cancelling'] },
      completed: {
        hides: [
          'vector-store-file-batches.states.from-cancelling',
          'vector-store-file-batches.files.of-cancelled',
        ],
      },
    },
  },
  'vector-store-file-batches.cancel.in-time': {
    usual: 'in time',
    others: {
      'too late': {
        hides: [
          'vector-store-file-batches.cancel.answer',
          'vector-store-file-batches.files.of-cancelled',
          'vector-store-file-batches.states.from-cancelling',
        ],
      },
    },
  },
  'vector-store-file-batches.cancel.too-late': { usual: 'refused', others: { accepted: inPlace } },
  'vector-store-file-batches.counts.at-first': {
    usual: 'all of them',
    others: {
      'none yet': {
        ...answers(['createVectorStoreFileBatch'], (batch) => ({ ...batch, file_counts: NO_FILES })),
        hides: ['vector-store-file-batches.create.same-file-twice', 'vector-store-file-batches.counts.sum'],
      },
    },
  },
  'vector-store-file-batches.counts.sum': {
    usual: 'the sum',
    others: {
      'another number': {
        ...anotherTotal('vector_store.file_batch'),
        hides: [
          'vector-store-file-batches.counts.at-first',
          'vector-store-file-batches.create.same-file-twice',
        ],
      },
    },
  },
  'vector-store-file-batches.create.no-files': {
    usual: 'created',
    others: {
      refused: refuses(
        ['createVectorStoreFileBatch'],
        ({ body }) => elementsOf(body['file_ids']).length === 0,
      ),
    },
  },
  'vector-store-file-batches.create.same-file-twice': {
    usual: 'once',
    others: { twice: inPlace, refused: inPlace },
  },
  'vector-store-file-batches.create.unknown-file': { usual: 'refused', others: { created: inPlace } },
  'vector-store-file-batches.files.in-store-before': {
    usual: 'keeps its time',
    others: { 'gets another time': inPlace, 'left out': inPlace, refused: inPlace },
  },
  'vector-store-file-batches.files.of-cancelled': {
    usual: 'cancelled',
    others: { 'cancelled, completed': inPlace, completed: inPlace },
  },
  'vector-store-file-batches.object.kind': {
    usual: 'vector_store.file_batch',
    others: {
      'vector_store.files_batch': field('vector_store.file_batch', '/object', 'vector_store.files_batch'),
    },
  },
  'vector-store-file-batches.path.other-spelling': {
    usual: 'both are served',
    others: { 'only the one that is shown': inPlace },
  },
  'vector-store-file-batches.states.from-cancelling': {
    usual: 'cancelled',
    others: {
      completed: { hides: ['vector-store-file-batches.files.of-cancelled'] },
      failed: { hides: ['vector-store-file-batches.files.of-cancelled'] },
    },
  },
  'vector-store-files.create.again': { usual: 'accepted', others: { refused: inPlace } },
  'vector-store-files.create.unknown-file': { usual: 'refused', others: { added: inPlace } },
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
  'vector-store-files.last-error.fields': {
    usual: 'code, message',
    others: {
      message: field('vector_store.file', '/last_error', (error) =>
        (error ?? null) === null ? null : { message: objectOf(error)['message'] ?? '' },
      ),
    },
  },
  'vector-store-files.states.first': { usual: 'in_progress', others: { completed: inPlace } },
  'vector-store-files.usage.size': { usual: 'as many', others: { 'another number': inPlace } },
  'vector-stores.usage.sum': {
    usual: 'the sum',
    others: {
      'another number': field(STORE, '/usage_bytes', (bytes) => Number(bytes) + 1024),
    },
  },
  'vector-stores.bytes.name': {
    usual: 'usage_bytes',
    others: { bytes: renamed('usage_bytes', 'bytes'), both: alsoAs('usage_bytes', 'bytes') },
  },
  'vector-stores.counts.sum': {
    usual: 'the sum',
    others: { 'another number': anotherTotal(STORE) },
  },
  'vector-stores.create.unknown-file': { usual: 'refused', others: { created: inPlace } },
  'vector-stores.delete.again': {
    usual: 'refused',
    others: {
      'deleted again': confirmDeletion('deleteVectorStore', 'vector_store.deleted', storeHasExisted),
    },
  },
  'vector-stores.expired.takes-files': { usual: 'refused', others: { accepted: inPlace } },
  'vector-stores.header.legacy-form': {
    usual: 'served',
    others: { refused: refusesHeader(STORE_OPERATIONS, 'assistants=v1') },
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
  'vector-stores.last-active.name': {
    usual: 'last_active_at',
    others: {
      last_used_at: renamed('last_active_at', 'last_used_at'),
      both: alsoAs('last_active_at', 'last_used_at'),
    },
  },
  'vector-stores.name.null': {
    usual: 'taken away',
    others: {
      'passed over': intercepting(['modifyVectorStore'], {
        handle: (request, proceed) =>
          proceed(
            request.body['name'] === null
              ? { ...request, body: dropFields(request.body, ['name']) }
              : request,
          ),
      }),
    },
  },
  'vector-stores.name.unset': { usual: 'empty', others: { null: inPlace, absent: inPlace } },
  'vector-stores.policy.counts-from': {
    // The service counts from the last activity, and a new store has both in the same second.
    usual: 'creation or last activity, in the same second',
    others: {
      creation: { unseen: 'seen only where a store is used in another second than that of its creation' },
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
  'vector-stores.policy.unset': {
    usual: 'null',
    others: {
      'an empty object': fieldWhere(STORE, (store) => store['expires_after'] === null, { expires_after: {} }),
      absent: fieldWhere(STORE, (store) => store['expires_after'] === null, { expires_after: undefined }),
      'a policy': inPlace,
    },
  },
};

/** While files are in progress, the total counts one more that is in no state yet. */
function anotherTotal(kind: string): Alternative {
  return shown(kind, (owner) => {
    const counts = objectOf(owner['file_counts']);
    if (owner['status'] !== 'in_progress' || counts['total'] === 0) return owner;
    return { ...owner, file_counts: { ...counts, total: Number(counts['total']) + 1 } };
  });
}

function renamed(name: string, other: string): Alternative {
  return shown(STORE, (store) => ({ ...store, [other]: store[name], [name]: undefined }));
}

function alsoAs(name: string, other: string): Alternative {
  return shown(STORE, (store) => ({ ...store, [other]: store[name] }));
}

function policy(more: (duration: number) => Readonly<Record<string, string | number>>): Alternative {
  return field(STORE, '/expires_after', (shownPolicy) => {
    const { duration } = objectOf(shownPolicy);
    return typeof duration === 'number'
      ? { ...objectOf(shownPolicy), ...more(duration) }
      : (shownPolicy ?? null);
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
export function storeHasExisted(
  service: Service,
  { vector_store_id = '' }: Readonly<Record<string, string>>,
): boolean {
  return storesOf(service).place(vector_store_id) !== undefined;
}

/** Whether the file was ever in the store. */
export function hasHeldFile(
  service: Service,
  { vector_store_id = '', file_id = '' }: Readonly<Record<string, string>>,
): boolean {
  return storesOf(service).get(vector_store_id)?.files.place(file_id) !== undefined;
}
