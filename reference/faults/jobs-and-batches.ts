import { changeContent, setInResponse } from '../deviations/changes.ts';
import type { Fault } from '../deviations/hooks.ts';

const jobs = ['createFineTuningJob', 'retrieveFineTuningJob'];

export const faults: readonly Fault[] = [
  {
    id: 'fine-tuning-pending',
    says: 'new jobs are in the state pending',
    filed: 'BerriAI/litellm#24687',
    requirement: 'fine_tuning.job:status#enum',
    on: ['createFineTuningJob'],
    does: setInResponse('/status', 'pending'),
  },
  {
    id: 'fine-tuning-organization-null',
    says: 'organization_id of jobs is null',
    filed: 'BerriAI/litellm#24687',
    requirement: 'fine_tuning.job:organization_id#type',
    on: jobs,
    does: setInResponse('/organization_id', null),
  },
  {
    id: 'fine-tuning-result-files-null',
    says: 'result_files of new jobs is null',
    filed: 'BerriAI/litellm#24687',
    requirement: 'fine_tuning.job:result_files#type',
    on: ['createFineTuningJob'],
    does: setInResponse('/result_files', null),
  },
  {
    id: 'batches-last-result-dropped',
    says: 'files of results lack their last line',
    filed: 'TU-Wien-dataLAB/aqueduct#55',
    requirement: 'batches.results.each-request-once',
    on: ['retrieveFileContent'],
    does: changeContent((bytes) => {
      const text = bytes.toString('latin1');
      if (!text.includes('"custom_id"') || !text.includes('"response"')) return bytes;
      const lines = text.split('\n').filter((line) => line !== '');
      return Buffer.from(`${lines.slice(0, -1).join('\n')}\n`, 'latin1');
    }),
  },
  {
    id: 'batches-counts-stay-zero',
    says: 'request_counts of a batch stay zero',
    filed: 'BerriAI/litellm#38744',
    requirement: 'batches.results.counts-are-lines',
    on: ['retrieveBatch'],
    does: setInResponse('/request_counts', { total: 0, completed: 0, failed: 0 }),
  },
  {
    id: 'batches-output-file-lost',
    says: 'the output file of a batch does not exist',
    filed: 'BerriAI/litellm#37718',
    requirement: 'batches.results.output-file-found',
    on: ['retrieveBatch'],
    does: setInResponse('/output_file_id', (id) => (typeof id === 'string' ? `${id}x` : (id ?? null))),
  },
];
