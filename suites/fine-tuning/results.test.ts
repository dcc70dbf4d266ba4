import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { fineTuningResultsSuffix } from './results.requirements.ts';

const modelFound = requirementFromRow('fine-tuning.results.model-found');
const filesFound = requirementFromRow('fine-tuning.results.files-found');

test('the model that a job names must be found unless it was deleted', () => {
  const job = { json: { id: 'ftjob-1', status: 'succeeded', fine_tuned_model: 'ft:a:b::c' } };
  const model = { path: { model: 'ft:a:b::c' } };
  for (const isDeleted of [true, false]) {
    const trace = new TraceBuilder();
    trace.add('retrieveFineTuningJob', { path: { fine_tuning_job_id: 'ftjob-1' } }, job);
    if (isDeleted) trace.add('deleteModel', model, { json: { id: 'ft:a:b::c', deleted: true } });
    trace.add('retrieveFineTuningJob', { path: { fine_tuning_job_id: 'ftjob-1' } }, job);
    trace.add('retrieveModel', model, { status: 404, json: { error: {} } });
    expect(judgeRequirement(modelFound, trace.exchanges).violations).toHaveLength(isDeleted ? 0 : 1);
  }
});

test('every result file of a job must be found', () => {
  const trace = new TraceBuilder();
  const job = { json: { id: 'ftjob-1', status: 'succeeded', result_files: ['file-1', 'file-2'] } };
  trace.add('retrieveFineTuningJob', { path: { fine_tuning_job_id: 'ftjob-1' } }, job);
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: { id: 'file-1' } });
  trace.add('retrieveFile', { path: { file_id: 'file-2' } }, { status: 404, json: { error: {} } });
  const { observations, violations } = judgeRequirement(filesFound, trace.exchanges);
  expect([observations, violations.length]).toEqual([2, 1]);
});

test.each([
  ['assay', 'ft:base:org:assay:1', 0],
  ['assay', 'ft:base:org:other:1', 1],
  ['assay', 'ft:base:assay-org::1', 1],
  ['assay-with-a-long-suffix', 'ft:base:org:assay-with-a-long-:1', 0],
  ['My Assay', 'ft:base:org:my-assay:1', 0],
])('the suffix %s in the model name %s gives %i violations', (suffix, fine_tuned_model, violationCount) => {
  const trace = new TraceBuilder();
  trace.add('createFineTuningJob', { body: { suffix } }, { json: { id: 'ftjob-1' } });
  const path = { fine_tuning_job_id: 'ftjob-1' };
  trace.add('retrieveFineTuningJob', { path }, { json: { id: 'ftjob-1', fine_tuned_model } });
  expect(judgeRequirement(fineTuningResultsSuffix, trace.exchanges).violations).toHaveLength(violationCount);
});
