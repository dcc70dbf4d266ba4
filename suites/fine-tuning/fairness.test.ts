import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { fineTuningResultsSuffix } from './results.requirements.ts';

test.each([
  ['assay', 'ft:base:org:assay:1', 0],
  ['assay', 'ft:base:org:other:1', 1],
  ['assay', 'ft:base:assay-org::1', 1],
  ['assay-with-a-long-suffix', 'ft:base:org:assay-with-a-long-:1', 0],
  ['My Assay', 'ft:base:org:my-assay:1', 0],
])('the suffix %s in the model name %s gives %i violations', (suffix, fine_tuned_model, objections) => {
  const trace = new TraceBuilder();
  trace.add('createFineTuningJob', { body: { suffix } }, { json: { id: 'ftjob-1' } });
  const path = { fine_tuning_job_id: 'ftjob-1' };
  trace.add('retrieveFineTuningJob', { path }, { json: { id: 'ftjob-1', fine_tuned_model } });
  expect(judgeRequirement(fineTuningResultsSuffix, trace.exchanges).violations).toHaveLength(objections);
});
