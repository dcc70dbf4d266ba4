import { type CallInput, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { uploadFlawed, uploadTable } from '../files/samples.ts';
import { violationLabel } from '../generate/rule-probes.ts';
import { jsonLines } from '../generate/sample-files.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { JsonObject } from '../vocabulary/types.ts';
import { createSampleJob, fineTuningBody, isJobOver, trainingExamples, uploadExamples } from './samples.ts';

const traits = { family: 'fine-tuning', cost: ['training'], roles: ['fine-tuning'] } as const;

/** Follows a job to its end, reads its results, and tries to cancel it. */
export const fineTuningSucceededScenario = scenario({
  ...traits,
  name: 'fine-tuning.succeeded',
  operations: ['createFineTuningJob', 'retrieveFineTuningJob', 'listFineTuningEvents'],
  run: async (context) => {
    const path = await createSampleJob(context, { suffix: 'assay' });
    // Events of the same second have no order by time.
    await context.nextSecond();
    const ended = await context.poll('retrieveFineTuningJob', { path }, isJobOver);
    await context.call('listFineTuningEvents', { path });
    await context.call('listFineTuningCheckpoints', { path });
    await context.call('listFineTuningJobs', { query: { limit: 100 } });
    const model = valueAtPath(ended.json, 'fine_tuned_model');
    // The base model exists for certain: its retrieval distinguishes a missing model from a service that finds
    // no models at all.
    await context.call('listModels');
    await context.call('retrieveModel', { path: { model: context.model('fine-tuning') } });
    if (typeof model === 'string') await context.call('retrieveModel', { path: { model } });
    for (const file_id of arrayAt(ended.json, 'result_files')) {
      if (typeof file_id !== 'string') continue;
      await context.call('retrieveFile', { path: { file_id } });
      await context.call('retrieveFileContent', { path: { file_id } });
    }
    await context.call('cancelFineTuningJob', { path });
  },
});

/** Files that cannot be used for training: with another purpose, or with lines that are not examples. */
export const invalidFiles = scenario({
  ...traits,
  name: 'fine-tuning.misfits',
  operations: ['createFineTuningJob', 'retrieveFineTuningJob'],
  run: runInvalidFiles,
});

async function runInvalidFiles(context: ScenarioContext): Promise<void> {
  const lines = jsonLines(`${context.tag}.jsonl`, [{ assay: 'not an example' }, 'not an example either']);
  const bad = await uploadFlawed(context, 'fine-tune', lines);
  const none = await uploadFlawed(context, 'fine-tune', uploadTable(context.tag));
  const trial = async (more: JsonObject, label: CallInput = {}): Promise<void> => {
    const created = await context.call('createFineTuningJob', {
      ...label,
      body: await fineTuningBody(context, more),
    });
    if (!created.ok) return;
    const path = { fine_tuning_job_id: created.text('/id') };
    await context.poll('retrieveFineTuningJob', { path }, isJobOver);
  };
  if (bad !== null) await trial({ training_file: bad });
  for (const field of none === null ? [] : ['training_file', 'validation_file'])
    await trial({ [field]: none }, violationLabel('createFineTuningJob', `body.${field}#format`));
  // A target may refuse the name at the upload.
  const text = await uploadFlawed(context, 'fine-tune', trainingExamples(`${context.tag}.txt`, 'named'));
  if (text !== null)
    await trial({ training_file: text }, violationLabel('createFineTuningJob', 'body.training_file#format'));
  for (const field of ['training_file', 'validation_file']) {
    const body = await fineTuningBody(context, { [field]: context.unknownId('file-') });
    await context.call('createFineTuningJob', {
      ...violationLabel('createFineTuningJob', `body.${field}#unknown`),
      body,
    });
  }
  await trial({ model: 'assay_no_such_model' }, violationLabel('createFineTuningJob', 'body.model#unknown'));
  // Valid examples, so that only the purpose is wrong.
  const other = await uploadExamples(context, 'other', 'assistants');
  await trial({ training_file: other });
  await trial({ validation_file: other });
  await context.call('listFineTuningJobs', { query: { limit: 100 } });
}
