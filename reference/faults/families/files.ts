import {
  acceptInvalid,
  changeContent,
  changeResponse,
  envelopeElements,
  findUnknown,
  ignoreQuery,
  setAtPointer,
  setInResponse,
  skipDeletion,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';

const file = { object: 'file', bytes: 1, created_at: 1, filename: 'file', purpose: 'assistants' } as const;

export const faults: readonly Fault[] = [
  {
    id: 'files-bytes-changed',
    says: 'the last byte of the content of a file is changed',
    requirement: 'files.content.as-sent',
    on: ['retrieveFileContent'],
    does: changeContent((bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('~')])),
  },
  {
    id: 'files-deletion-without-effect',
    says: 'deletions are confirmed but the file is kept',
    requirement: 'files.delete.gone-from-retrieve',
    on: ['deleteFile'],
    does: skipDeletion('retrieveFile', 'file'),
  },
  {
    id: 'files-purpose-filter-ignored',
    says: 'ignores purpose when listing files',
    requirement: 'files.list.purpose-filter',
    on: ['listFiles'],
    does: ignoreQuery('purpose'),
  },
  {
    id: 'files-newest-not-listed',
    says: 'lists lack the newest file',
    requirement: 'files.list.tells-uploaded',
    on: ['listFiles'],
    does: changeResponse((answer) => setAtPointer(answer, '/data', envelopeElements(answer).slice(1))),
  },
  {
    id: 'files-size-wrong',
    says: 'bytes of an uploaded file is one too high',
    requirement: 'files.upload.bytes-are-size',
    on: ['createFile'],
    does: setInResponse('/bytes', (bytes) => Number(bytes) + 1),
  },
  {
    id: 'files-time-as-text',
    says: 'created_at is a string',
    requirement: 'file:created_at#type',
    on: ['createFile', 'retrieveFile'],
    does: setInResponse('/created_at', String),
  },
  {
    id: 'files-purpose-unchecked',
    says: 'accepts uploads with an unknown purpose',
    requirement: 'createFile:body.purpose#enum.rejected',
    on: ['createFile'],
    does: acceptInvalid('purpose', () => ({ ...file, id: 'file-000000000000000000000001' })),
  },
  {
    id: 'files-unknown-found',
    says: 'answers unknown file ids with a file',
    requirement: 'retrieveFile:path.file_id#unknown.rejected',
    on: ['retrieveFile'],
    does: findUnknown((id) => ({ ...file, id })),
  },
];
