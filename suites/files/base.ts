import { baseRequest } from '../generate/requests.ts';
import { FILE_PURPOSES, fileFor } from './samples.ts';

export const createFile = baseRequest({
  operation: 'createFile',
  leave: { 'file.file#maxBytes.*': 'half a gigabyte is sent by a separate scenario' },
  ready: (context) => ({
    fields: { file: fileFor('batch', context.tag), purpose: 'batch' },
    companions: (field, value) => {
      const purpose = FILE_PURPOSES.find((one) => one === value);
      return field === 'purpose' && purpose !== undefined ? { file: fileFor(purpose, context.tag) } : {};
    },
  }),
});
