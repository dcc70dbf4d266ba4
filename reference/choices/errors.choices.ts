import { ownOperations } from '../../schemas/index.ts';
import {
  allOf,
  type ChoiceTable,
  confirmDeletion,
  inPlace,
  intercepting,
} from '../deviations/alternatives.ts';
import { fileHasExisted } from '../files/files.choices.ts';
import { hasHeldFile, storeHasExisted } from '../vector-stores/vector-stores.choices.ts';

const CONFIRMATIONS: Readonly<Record<string, string>> = {
  deleteAssistant: 'assistant.deleted',
  deleteAssistantFile: 'assistant.file.deleted',
  deleteThread: 'thread.deleted',
  deleteModel: 'model',
  deleteFile: 'file',
  deleteVectorStore: 'vector_store.deleted',
  deleteVectorStoreFile: 'vector_store.file.deleted',
};

/** Operations whose answer to a second deletion is a choice of its own, with whether the object has existed. */
const existed: Readonly<Record<string, typeof fileHasExisted>> = {
  deleteFile: fileHasExisted,
  deleteVectorStore: storeHasExisted,
  deleteVectorStoreFile: hasHeldFile,
};

/** Lists of what belongs to an object of the path. */
const owned = ownOperations()
  .filter(({ list, path }) => list !== null && path.includes('{'))
  .map(({ id }) => id);

/** Other choices return what has ended unchanged. */
const seenInRefusals = { unseen: 'a service may refuse no cancellation' } as const;

export const choices: ChoiceTable = {
  'errors.body.form': {
    usual: 'an object with error',
    others: { 'other JSON': inPlace, text: inPlace, nothing: inPlace },
  },
  'errors.status.of-unknown-id': { usual: '404', others: { '400': inPlace } },
  'errors.status.of-violation': { usual: '400', others: { '422': inPlace, '404': inPlace, '409': inPlace } },
  'errors.status.of-refused-cancellation': {
    usual: '409',
    others: { '404': seenInRefusals, '400': seenInRefusals },
  },
  'errors.unknown-id.deletion': {
    usual: 'refused',
    others: {
      answered: allOf(
        Object.entries(CONFIRMATIONS).map(([operation, kind]) =>
          confirmDeletion(operation, kind, (service, path) => existed[operation]?.(service, path) !== true),
        ),
      ),
    },
  },
  'errors.unknown-id.list': {
    usual: 'refused',
    others: {
      answered: intercepting(owned, {
        forgive: ({ status }) =>
          status === 404
            ? { object: 'list', data: [], first_id: null, last_id: null, has_more: false }
            : null,
      }),
    },
  },
};
