import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest } from '../generate/requests.ts';
import { FILE_PURPOSES, fileFor, uploadSample } from './samples.ts';

const ofOwnFile = async (context: ScenarioContext) => ({ path: { file_id: await uploadSample(context) } });

export const createFile = baseRequest({
  operation: 'createFile',
  leave: { 'file.file#maxBytes.*': 'half a gigabyte is sent by a separate scenario' },
  ready: (context) => ({
    fields: { file: fileFor('batch', context.tag, 'any-model'), purpose: 'batch' },
    companions: (field, value) => {
      const purpose = FILE_PURPOSES.find((one) => one === value);
      return field === 'purpose' && purpose !== undefined
        ? { file: fileFor(purpose, context.tag, 'any-model') }
        : {};
    },
  }),
});

export const listFiles = baseRequest({ operation: 'listFiles', ready: () => ({}) });

export const retrieveFile = baseRequest({ operation: 'retrieveFile', ready: ofOwnFile });

export const retrieveFileContent = baseRequest({ operation: 'retrieveFileContent', ready: ofOwnFile });

export const deleteFile = baseRequest({ operation: 'deleteFile', ready: ofOwnFile });
