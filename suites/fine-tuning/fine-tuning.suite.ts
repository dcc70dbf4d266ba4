import { type CallInput, scenario } from '../../drive/scenario/scenario.ts';
import { tableFile, uploadFlawed } from '../files/samples.ts';
import { violationLabel } from '../generate/rule-probes.ts';
import { jsonLines } from '../generate/sample-files.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { JsonObject } from '../vocabulary/types.ts';
import { createJobBody, createSampleJob, isJobOver, trainingExamples, uploadExamples } from './samples.ts';

const FILE_FIELDS = ['training_file', 'validation_file'];

const traits = { family: 'fine-tuning', cost: ['training'], roles: ['fine-tuning'] } as const;

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
    // The base model exists: its retrieval distinguishes a missing model from a service that finds no models at all.
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

export const fineTuningMisfitsScenario = scenario({
  ...traits,
  name: 'fine-tuning.misfits',
  operations: ['createFineTuningJob', 'retrieveFineTuningJob'],
  run: async (context) => {
    const lines = jsonLines(`${context.tag}.jsonl`, [{ assay: 'not an example' }, 'not an example either']);
    const otherLines = await uploadFlawed(context, 'fine-tune', lines);
    const table = await uploadFlawed(context, 'fine-tune', tableFile(context.tag));
    const label = (rule: string): CallInput => violationLabel('createFineTuningJob', `body.${rule}`);
    const tryJob = async (more: JsonObject, input: CallInput = {}): Promise<void> => {
      const body = await createJobBody(context, more);
      const created = await context.call('createFineTuningJob', { ...input, body });
      if (!created.ok) return;
      const path = { fine_tuning_job_id: created.text('/id') };
      await context.poll('retrieveFineTuningJob', { path }, isJobOver);
    };
    if (otherLines !== null) await tryJob({ training_file: otherLines });
    if (table !== null)
      for (const field of FILE_FIELDS) await tryJob({ [field]: table }, label(`${field}#format`));
    // A target may refuse the name at the upload.
    const textFile = await uploadFlawed(
      context,
      'fine-tune',
      trainingExamples(`${context.tag}.txt`, 'named'),
    );
    if (textFile !== null) await tryJob({ training_file: textFile }, label('training_file#format'));
    for (const field of FILE_FIELDS) {
      const body = await createJobBody(context, { [field]: context.unknownId('file-') });
      await context.call('createFineTuningJob', { ...label(`${field}#unknown`), body });
    }
    await tryJob({ model: 'assay_no_such_model' }, label('model#unknown'));
    // The examples are valid, so that only the purpose is wrong.
    const otherPurpose = await uploadExamples(context, 'other', 'assistants');
    for (const field of FILE_FIELDS) await tryJob({ [field]: otherPurpose });
    await context.call('listFineTuningJobs', { query: { limit: 100 } });
  },
});
