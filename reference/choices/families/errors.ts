// 1 Errors: form and status of a refusal, and requests for what does not exist.
import { ownOperations } from '../../../schemas/index.ts';
import type { ChoiceTable } from '../alternative.ts';
import { confirmsUnknown } from '../deleted-before.ts';
import { allOf, inPlace, intercepting } from '../shapes.ts';

/** The `object` of the confirmation of each deletion. */
const CONFIRMATIONS: Readonly<Record<string, string>> = {
  deleteAssistant: 'assistant.deleted',
  deleteAssistantFile: 'assistant.file.deleted',
  deleteThread: 'thread.deleted',
  deleteModel: 'model',
  deleteFile: 'file',
  deleteVectorStore: 'vector_store.deleted',
  deleteVectorStoreFile: 'vector_store.file.deleted',
};

/** Operations that list what belongs to an object of their path. */
const owned = ownOperations()
  .filter(({ list, path }) => list !== null && path.includes('{'))
  .map(({ id }) => id);

export const choices: ChoiceTable = {
  'errors.body.form': {
    usual: 'an object with error',
    others: { 'other JSON': inPlace, text: inPlace, nothing: inPlace },
  },
  'errors.status.of-unknown-id': { usual: '404', others: { '400': inPlace } },
  'errors.status.of-violation': { usual: '400', others: { '422': inPlace } },
  'errors.unknown-id.deletion': {
    usual: 'refused',
    others: {
      answered: allOf(
        Object.entries(CONFIRMATIONS).map(([operation, kind]) => confirmsUnknown(operation, kind)),
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
