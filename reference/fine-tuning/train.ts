import { hashText } from '../state/ids.ts';
import type { Service } from '../state/service.ts';
import type { TrainingExamples } from './examples.ts';
import type { Job } from './job.ts';

/** Most steps that have an event each; of more steps, every second, third, … has one. */
const maxEvents = 100;

/** Columns of the result file. */
const columns = [
  'step',
  'train_loss',
  'train_mean_token_accuracy',
  'valid_loss',
  'valid_mean_token_accuracy',
];

/** A training that is due. */
interface Training {
  readonly examples: TrainingExamples;
  /** Id of the model that the training makes. */
  readonly model: string;
  /** Unix seconds at which it ends. */
  readonly at: number;
  /** Publishes the message of a step. */
  readonly report: (message: string) => void;
}

/** Simulates a training: an event for each step, a checkpoint for each epoch, the metrics as CSV. */
export function train(
  service: Service,
  job: Job,
  { examples, model, at, report }: Training,
): { results: string; epochs: number } {
  const epochs = Number(job.shown.hyperparameters['n_epochs']);
  const batch = Math.max(1, Number(job.shown.hyperparameters['batch_size']));
  const perEpoch = Math.max(1, Math.ceil(examples.count / batch));
  const total = perEpoch * epochs;
  // Long trainings report every n-th step, so that their lists of events stay short.
  const stride = Math.max(1, Math.ceil(total / maxEvents));
  const rows = [columns.join(',')];
  for (let step = stride; step <= total; step += stride) {
    const found = metrics(job, step, total);
    rows.push(columns.map((name) => found[name]).join(','));
    report(
      `Step ${step}/${total}: training loss=${found['train_loss']}, validation loss=${found['valid_loss']}`,
    );
  }
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    const step = epoch * perEpoch;
    job.checkpoints.add({
      id: service.id('ftckpt_'),
      object: 'fine_tuning.job.checkpoint',
      created_at: at,
      // The model after the last epoch is the result of the job itself.
      fine_tuned_model_checkpoint: epoch === epochs ? model : `${model}:ckpt-step-${step}`,
      fine_tuning_job_id: job.id,
      step_number: step,
      metrics: metrics(job, step, total),
    });
  }
  return { results: `${rows.join('\n')}\n`, epochs };
}

/** Metrics of a step: loss falls and accuracy rises along a curve that depends on the job's seed. */
function metrics(job: Job, step: number, total: number): Record<string, number> {
  const bend = (hashText(`${job.shown.seed} ${step}`) % 100) / 2000;
  const loss = round(2.5 * 0.1 ** (step / total) + bend);
  const accuracy = round(1 - 0.5 * 0.2 ** (step / total) - bend);
  return {
    step,
    train_loss: loss,
    train_mean_token_accuracy: accuracy,
    valid_loss: round(loss * 1.1),
    valid_mean_token_accuracy: round(accuracy * 0.98),
    full_valid_loss: round(loss * 1.12),
    full_valid_mean_token_accuracy: round(accuracy * 0.97),
  };
}

/** Four decimals, as in the result files of the API. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
