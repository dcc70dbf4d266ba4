import { filesOf } from '../files/file-store.ts';
import type { Service } from '../state/service.ts';
import { storesOf } from '../vector-stores/store.ts';
import type { Alternative } from './alternative.ts';
import { intercepting } from './shapes.ts';

type Parameters = Readonly<Record<string, string>>;

/** By operation, whether the object of the path has existed; only of these does the ledger have a choice of their own. */
const existed: Readonly<Record<string, (service: Service, path: Parameters) => boolean>> = {
  deleteFile: (service, { file_id = '' }) => filesOf(service).all.place(file_id) !== undefined,
  deleteVectorStore: (service, { vector_store_id = '' }) =>
    storesOf(service).place(vector_store_id) !== undefined,
  deleteVectorStoreFile: (service, { vector_store_id = '', file_id = '' }) =>
    storesOf(service).get(vector_store_id)?.files.place(file_id) !== undefined,
};

/** Confirms a deletion of what was deleted before. `kind` is the `object` of the confirmation. */
export function confirmsAgain(operation: string, kind: string): Alternative {
  return confirms(operation, kind, (hasExisted) => hasExisted);
}

/** Confirms a deletion of what has never existed. */
export function confirmsUnknown(operation: string, kind: string): Alternative {
  return confirms(operation, kind, (hasExisted) => !hasExisted);
}

function confirms(operation: string, kind: string, isMeant: (hasExisted: boolean) => boolean): Alternative {
  return intercepting([operation], {
    forgive: ({ status }, { params }, service) => {
      const hasExisted = existed[operation]?.(service, params) ?? false;
      if (status !== 404 || !isMeant(hasExisted)) return null;
      return { id: Object.values(params).at(-1) ?? '', object: kind, deleted: true };
    },
  });
}
