import { type CallInput, type Stage, scenario } from '../../drive/scenario.ts';
import { get, list } from '../../judge/json.ts';
import { offered, table } from '../files/samples.ts';
import { authScenarios } from '../generate/auth.ts';
import { jsonl } from '../generate/files.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { misfit } from '../generate/misfits.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { job as resource } from './resources.ts';
import { type Body, bodyOf, examples, isOver, job, trained } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const traits = { family: 'fine-tuning', cost: ['training'], roles: ['fine-tuning'] } as const;

export const jobLists = listScenarios({
  operation: 'listFineTuningJobs',
  cost: ['training'],
  roles: ['fine-tuning'],
  element: async (stage) => (await job(stage)).fine_tuning_job_id,
});

export const eventLists = listScenarios({
  operation: 'listFineTuningEvents',
  cost: ['training'],
  roles: ['fine-tuning'],
  owner: (stage) => trained(stage, { hyperparameters: { n_epochs: 3 } }),
});

export const checkpointLists = listScenarios({
  operation: 'listFineTuningCheckpoints',
  cost: ['training'],
  roles: ['fine-tuning'],
  owner: long,
});

/** More epochs than a page has checkpoints by default, and more steps than it has events. */
function long(stage: Stage) {
  return trained(stage, { hyperparameters: { n_epochs: 12 } });
}

/** Where a page ends by default. */
export const pages = scenario({
  ...traits,
  name: 'fine-tuning.pages',
  operations: ['listFineTuningEvents', 'listFineTuningCheckpoints'],
  shows: [
    'listFineTuningEvents.page.*',
    'listFineTuningCheckpoints.page.*',
    'fine-tuning.checkpoint.*',
    'fine-tuning.checkpoints.*',
    'fine_tuning.job.event:*',
    'fine_tuning.job.checkpoint:*',
    'listFineTuningEvents:answer#*',
    'listFineTuningCheckpoints:answer#*',
  ],
  run: async (stage) => {
    const path = await long(stage);
    await stage.call('listFineTuningEvents', { path });
    await stage.call('listFineTuningEvents', { path, query: { limit: 20 } });
    await stage.call('listFineTuningCheckpoints', { path });
    await stage.call('listFineTuningCheckpoints', { path, query: { limit: 10 } });
  },
});

export const life = lifeScenario({
  resource,
  roles: ['fine-tuning'],
  bodies: async (stage) => {
    const { hyperparameters: _, ...bare } = await bodyOf(stage);
    const validation_file = await examples(stage, 'thrice');
    const full = { suffix: 'assay', validation_file, seed: 42, integrations: [] };
    return [bare, { ...bare, hyperparameters: { n_epochs: 2 }, ...full }];
  },
});

/** A job to its end, and what came of it; then it has ended, and can be cancelled no more. */
export const succeeded = scenario({
  ...traits,
  name: 'fine-tuning.succeeded',
  operations: ['createFineTuningJob', 'retrieveFineTuningJob', 'listFineTuningEvents'],
  shows: ['fine_tuning.job:*', 'fine-tuning.results.*', 'fine-tuning.events.*', 'fine-tuning.event.*'],
  run: async (stage) => {
    const path = await job(stage, { suffix: 'assay' });
    // Events of one second tell no order.
    await stage.nextSecond();
    const ended = await stage.poll('retrieveFineTuningJob', { path }, isOver);
    await stage.call('listFineTuningEvents', { path });
    await stage.call('listFineTuningCheckpoints', { path });
    const model = get(ended.json, 'fine_tuned_model');
    // The base is there for certain: with that, a model that is not found is told from models that nobody retrieves.
    await stage.call('retrieveModel', { path: { model: stage.model('fine-tuning') } });
    if (typeof model === 'string') await stage.call('retrieveModel', { path: { model } });
    for (const file_id of list(ended.json, 'result_files')) {
      if (typeof file_id !== 'string') continue;
      await stage.call('retrieveFile', { path: { file_id } });
      await stage.call('retrieveFileContent', { path: { file_id } });
    }
    await stage.call('cancelFineTuningJob', { path });
  },
});

/** Jobs that are cancelled at once and on their way, looked at, and cancelled again. */
export const cancelled = scenario({
  ...traits,
  name: 'fine-tuning.cancelled',
  operations: ['createFineTuningJob', 'cancelFineTuningJob', 'retrieveFineTuningJob'],
  shows: ['fine-tuning.cancel.*', 'fine-tuning.finished-at.*', 'cancelFineTuningJob:answer#*'],
  run: async (stage) => {
    for (const looks of [0, 1, 2]) {
      const path = await job(stage, { hyperparameters: { n_epochs: 3 } });
      for (let i = 0; i < looks; i++) await stage.call('retrieveFineTuningJob', { path });
      await stage.call('cancelFineTuningJob', { path });
      await stage.call('retrieveFineTuningJob', { path });
      await stage.call('retrieveFineTuningJob', { path });
      await stage.call('cancelFineTuningJob', { path });
      await stage.call('listFineTuningEvents', { path });
    }
  },
});

/** Files that are none to train on: with another purpose, or with lines that are no examples. */
export const misfits = scenario({
  ...traits,
  name: 'fine-tuning.misfits',
  operations: ['createFineTuningJob', 'retrieveFineTuningJob'],
  shows: ['fine-tuning.create.*', 'fine-tuning.error.form', 'fine_tuning.job:#error-set'],
  run: async (stage) => {
    const lines = jsonl(`${stage.tag}.jsonl`, [{ assay: 'no example' }, 'no example either']);
    const bad = await offered(stage, 'fine-tune', lines);
    const none = await offered(stage, 'fine-tune', table(stage.tag));
    const trial = async (more: Body, label: CallInput = {}): Promise<void> => {
      const made = await stage.call('createFineTuningJob', { ...label, body: await bodyOf(stage, more) });
      if (!made.ok) return;
      const path = { fine_tuning_job_id: made.text('/id') };
      await stage.poll('retrieveFineTuningJob', { path }, isOver);
    };
    if (bad !== null) await trial({ training_file: bad });
    for (const field of none === null ? [] : ['training_file', 'validation_file'])
      await trial({ [field]: none }, misfit('createFineTuningJob', field, 'format'));
    for (const field of ['training_file', 'validation_file']) {
      const body = await bodyOf(stage, { [field]: stage.unknownId('file-') });
      await stage.call('createFineTuningJob', { ...misfit('createFineTuningJob', field, 'unknown'), body });
    }
    await trial({ model: 'assay_no_such_model' }, misfit('createFineTuningJob', 'model', 'unknown'));
    // Good examples, so that nothing but the purpose is wrong.
    const other = await examples(stage, 'other', 'assistants');
    await trial({ training_file: other });
    await trial({ validation_file: other });
  },
});

/** What the specification names without showing it: an integration, further hyperparameters, the length of a page. */
export const openPoints = scenario({
  ...traits,
  name: 'fine-tuning.open-points',
  operations: ['createFineTuningJob', 'listFineTuningJobs'],
  shows: ['fine-tuning.integrations.*', 'fine-tuning.hyperparameters.*', 'fine-tuning.jobs.limit'],
  run: async (stage) => {
    const tracker = { project: stage.tag, name: stage.tag, tags: ['assay', 'conformance'] };
    const integrations = [{ type: 'tracker', tracker }];
    const hyperparameters = { n_epochs: 1, batch_size: 2, learning_rate_multiplier: 1 };
    for (const more of [{ integrations }, { hyperparameters }, { hyperparameters: { n_epochs: 'auto' } }])
      await stage.call('createFineTuningJob', { body: await bodyOf(stage, more) });
    await stage.call('listFineTuningJobs');
  },
});
