import { setValue } from '../vocabulary/changes.ts';
import { inAnswersOf } from '../vocabulary/equivalents.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Json } from '../vocabulary/types.ts';

const TELLING = ['createFineTuningJob', 'retrieveFineTuningJob', 'cancelFineTuningJob', 'listFineTuningJobs'];

/** Forms of jobs that the specification leaves open, each in the other way. */
export const mutants: readonly EquivalentMutant[] = [
  inAnswersOf(TELLING, 'jobs with 0 trained tokens while they are queued', counted),
];

function counted(answer: Json): Json {
  const own = (job: Json): Json =>
    ['queued', 'validating_files'].some((state) => valueAtPath(job, 'status') === state)
      ? setValue('/trained_tokens', 0)(job)
      : job;
  const data = arrayAt(answer, 'data');
  return data.length === 0 ? own(answer) : setValue('/data', data.map(own))(answer);
}
