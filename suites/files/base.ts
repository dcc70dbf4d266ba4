import type { Stage } from '../../drive/scenario.ts';
import { base } from '../generate/base.ts';
import { fileFor, purposes, uploaded } from './samples.ts';

const ofOwnFile = async (stage: Stage) => ({ path: { file_id: await uploaded(stage) } });

export const createFile = base({
  operation: 'createFile',
  leave: { 'file.file#maxBytes.*': 'half a gigabyte is sent by a scenario of its own' },
  ready: (stage) => ({
    fields: { file: fileFor('batch', stage.tag, 'any-model'), purpose: 'batch' },
    companions: (field, value) => {
      const purpose = purposes.find((one) => one === value);
      return field === 'purpose' && purpose !== undefined
        ? { file: fileFor(purpose, stage.tag, 'any-model') }
        : {};
    },
  }),
});

export const listFiles = base({ operation: 'listFiles', ready: () => ({}) });

export const retrieveFile = base({ operation: 'retrieveFile', ready: ofOwnFile });

export const retrieveFileContent = base({ operation: 'retrieveFileContent', ready: ofOwnFile });

export const deleteFile = base({ operation: 'deleteFile', ready: ofOwnFile });
