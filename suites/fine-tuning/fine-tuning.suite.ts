import { type CallInput, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { uploadFlawed, uploadTable } from '../files/samples.ts';
import { invalidFileCall } from '../generate/invalid-files.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';
import { createdResource } from '../generate/resources.ts';
import { jsonLines } from '../generate/sample-files.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { JsonObject } from '../vocabulary/types.ts';
import {
  createSampleJob,
  createTrainedJob,
  fineTuningBody,
  isJobOver,
  trainingExamples,
  uploadExamples,
} from './samples.ts';

const resource = createdResource('fine-tuning');

const traits = { family: 'fine-tuning', cost: ['training'], roles: ['fine-tuning'] } as const;

export const jobListPaging = listScenarios({
  operation: 'listFineTuningJobs',
  cost: ['training'],
  roles: ['fine-tuning'],
  element: async (context) => (await createSampleJob(context)).fine_tuning_job_id,
});

export const eventListPaging = listScenarios({
  operation: 'listFineTuningEvents',
  cost: ['training'],
  roles: ['fine-tuning'],
  owner: (context) => createTrainedJob(context, { hyperparameters: { n_epochs: 3 } }),
});

export const checkpointListPaging = listScenarios({
  operation: 'listFineTuningCheckpoints',
  cost: ['training'],
  roles: ['fine-tuning'],
  owner: longTraining,
});

/** More epochs than the default page size of checkpoints, and more steps than that of events. */
function longTraining(context: ScenarioContext) {
  return createTrainedJob(context, { hyperparameters: { n_epochs: 12 } });
}

/** The default page sizes. */
export const fineTuningPagesScenario = scenario({
  ...traits,
  name: 'fine-tuning.pages',
  operations: ['listFineTuningEvents', 'listFineTuningCheckpoints'],
  run: async (context) => {
    const path = await longTraining(context);
    await context.call('listFineTuningEvents', { path });
    await context.call('listFineTuningEvents', { path, query: { limit: 20 } });
    await context.call('listFineTuningCheckpoints', { path });
    await context.call('listFineTuningCheckpoints', { path, query: { limit: 10 } });
  },
});

export const lifecycle = lifecycleScenario({
  resource,
  roles: ['fine-tuning'],
  bodies: async (context) => {
    const { hyperparameters: _, ...bare } = await fineTuningBody(context);
    const validation_file = await uploadExamples(context, 'thrice');
    const full = { suffix: 'assay', validation_file, seed: 42, integrations: [] };
    return [bare, { ...bare, hyperparameters: { n_epochs: 2 }, ...full }];
  },
});

/** A job until it has ended, with its results; then it can no longer be cancelled. */
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

/** Jobs that are cancelled at once and in progress, retrieved, and cancelled again. */
export const fineTuningCancelledScenario = scenario({
  ...traits,
  name: 'fine-tuning.cancelled',
  operations: ['createFineTuningJob', 'cancelFineTuningJob', 'retrieveFineTuningJob'],
  run: async (context) => {
    for (const retrievals of [0, 1, 2]) {
      const path = await createSampleJob(context, { hyperparameters: { n_epochs: 3 } });
      for (let i = 0; i < retrievals; i++) await context.call('retrieveFineTuningJob', { path });
      await context.call('cancelFineTuningJob', { path });
      await context.call('retrieveFineTuningJob', { path });
      await context.call('retrieveFineTuningJob', { path });
      await context.call('cancelFineTuningJob', { path });
      await context.call('listFineTuningEvents', { path });
    }
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
    await trial({ [field]: none }, invalidFileCall('createFineTuningJob', field, 'format'));
  // A target may refuse the name at the upload.
  const text = await uploadFlawed(context, 'fine-tune', trainingExamples(`${context.tag}.txt`, 'named'));
  if (text !== null)
    await trial({ training_file: text }, invalidFileCall('createFineTuningJob', 'training_file', 'format'));
  for (const field of ['training_file', 'validation_file']) {
    const body = await fineTuningBody(context, { [field]: context.unknownId('file-') });
    await context.call('createFineTuningJob', {
      ...invalidFileCall('createFineTuningJob', field, 'unknown'),
      body,
    });
  }
  await trial({ model: 'assay_no_such_model' }, invalidFileCall('createFineTuningJob', 'model', 'unknown'));
  // Valid examples, so that only the purpose is wrong.
  const other = await uploadExamples(context, 'other', 'assistants');
  await trial({ training_file: other });
  await trial({ validation_file: other });
  await context.call('listFineTuningJobs', { query: { limit: 100 } });
}

/**
 * Fields that the specification names without showing them: an integration, further hyperparameters, the
 * page size.
 */
export const unspecified = scenario({
  ...traits,
  name: 'fine-tuning.open-points',
  operations: ['createFineTuningJob', 'listFineTuningJobs'],
  run: async (context) => {
    const tracker = { project: context.tag, name: context.tag, tags: ['assay', 'conformance'] };
    const integrations = [{ type: 'tracker', tracker }];
    const hyperparameters = { n_epochs: 1, batch_size: 2, learning_rate_multiplier: 1 };
    for (const more of [{ integrations }, { hyperparameters }, { hyperparameters: { n_epochs: 'auto' } }])
      await context.call('createFineTuningJob', { body: await fineTuningBody(context, more) });
    await context.call('listFineTuningJobs');
  },
});
