import {
  type Alternative,
  type ChoiceTable,
  confirmDeletion,
  field,
  intercepting,
} from '../deviations/alternatives.ts';
import { BinaryResponse } from '../http/response.ts';
import type { Service } from '../state/service.ts';
import { filesOf } from './file-store.ts';

export const choices: ChoiceTable = {
  'files.content.media-type': {
    usual: 'application/octet-stream',
    others: { 'application/binary': relabel('application/binary'), none: relabel('') },
  },
  'files.delete.again': {
    usual: 'refused',
    others: { 'deleted again': confirmDeletion('deleteFile', 'file', fileHasExisted) },
  },
  'files.upload.filename': {
    usual: 'as sent',
    others: {
      another: field('file', '/filename', (name) => `stored_${String(name).replaceAll(/[^\w.-]/g, '_')}`),
    },
  },
};

function relabel(type: string): Alternative {
  return intercepting(['retrieveFileContent'], {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      return outcome instanceof BinaryResponse
        ? new BinaryResponse(type, outcome.bytes, outcome.size)
        : outcome;
    },
  });
}

/** Whether the file was ever uploaded, even if it has been deleted. */
function fileHasExisted(service: Service, { file_id = '' }: Readonly<Record<string, string>>): boolean {
  return filesOf(service).all.place(file_id) !== undefined;
}
