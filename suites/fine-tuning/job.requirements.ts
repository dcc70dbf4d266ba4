import {
  invalidFileUses,
  succeedEventually,
  unexpectedSuccesses,
  usedFor,
} from '../generate/invalid-files.ts';

import { rowOf } from '../rows/rows.ts';
import { succeedInstead } from '../vocabulary/changes.ts';
import { where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Mutation } from '../vocabulary/types.ts';
import { isJobOver } from './samples.ts';

const { implied } = section('2 Fine-tuning');

const use = invalidFileUses({
  create: 'createFineTuningJob',
  retrieve: 'retrieveFineTuningJob',
  fields: ['training_file', 'validation_file'],
  purpose: 'fine-tune',
  isOver: isJobOver,
});

const nevertheless: Readonly<Record<string, Mutation>> = {
  'succeeds nevertheless': succeedInstead('createFineTuningJob', () => ({ id: 'job', status: 'succeeded' })),
  'succeeds in the end': succeedEventually('createFineTuningJob', 'retrieveFineTuningJob', 'succeeded'),
};

export const fineTuningCreatePurposeOfFiles = implied('fine-tuning.create.purpose-of-files', {
  says: 'A job whose files were uploaded for another purpose is rejected, or fails.',
  selector: where(use, usedFor('purpose')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
  mutations: nevertheless,
});

export const fineTuningCreateFilesKnown = implied('fine-tuning.create.files-known', {
  says: 'A job whose files do not exist is rejected, or fails.',
  selector: where(use, usedFor('unknown')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
  mutations: nevertheless,
});

/** Creations with a base model that does not exist; a model is named as a file is. */
const ofModel = {
  create: 'createFineTuningJob',
  retrieve: 'retrieveFineTuningJob',
  fields: ['model'],
  purpose: '',
  isOver: isJobOver,
};

export const fineTuningCreateBaseKnown = implied('fine-tuning.create.base-known', {
  says: 'A job whose base model does not exist is rejected, or fails.',
  selector: where(invalidFileUses(ofModel), usedFor('unknown')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
  mutations: nevertheless,
});

export const fineTuningCreateFormatOfFiles = rowOf('fine-tuning.create.format-of-files', {
  evidence: where(use, usedFor('format')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
});
