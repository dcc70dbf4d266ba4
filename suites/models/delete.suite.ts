import { at } from '../../drive/answer.ts';
import { scenario } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { uploaded } from '../files/samples.ts';

/** Only a fine-tuned model can be deleted, so one is made first: found, listed, deleted, gone. */
export const remove = scenario({
  name: 'models.delete',
  family: 'models',
  operations: [
    'createFile',
    'createFineTuningJob',
    'retrieveFineTuningJob',
    'listModels',
    'retrieveModel',
    'deleteModel',
  ],
  shows: ['model:*', 'model.list:*', 'model.deleted:*', 'deleteModel:*', 'models.*'],
  cost: ['training'],
  roles: ['fine-tuning'],
  run: async (stage) => {
    const body = { model: stage.model('fine-tuning'), training_file: await uploaded(stage, 'fine-tune') };
    const job = (await stage.need('createFineTuningJob', { body })).text('/id');
    const done = await stage.poll('retrieveFineTuningJob', { path: { fine_tuning_job_id: job } }, isOver);
    const path = { model: done.text('/fine_tuned_model') };
    await stage.call('listModels');
    await stage.call('retrieveModel', { path });
    await stage.call('deleteModel', { path });
    await stage.call('retrieveModel', { path });
    await stage.call('listModels');
  },
});

function isOver(job: Json): boolean {
  return ['succeeded', 'failed', 'cancelled'].some((status) => status === at(job, '/status'));
}
