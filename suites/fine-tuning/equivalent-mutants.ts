import { callsOperation, setValue } from '../vocabulary/changes.ts';
import type { Exchange } from '../vocabulary/collecting.ts';
import { type EquivalentMutant, inEachExchange, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, type Json, valueAtPath } from '../vocabulary/json.ts';

const TELLING = ['createFineTuningJob', 'retrieveFineTuningJob', 'cancelFineTuningJob', 'listFineTuningJobs'];

/** Forms of jobs that the specification leaves open, each in the other way. */
export const mutants: readonly EquivalentMutant[] = [
  inEachExchange('jobs with 0 trained tokens while they are queued', (exchange: Exchange) =>
    TELLING.some((operation) => callsOperation(exchange, operation))
      ? withResponseJson(exchange, counted)
      : exchange,
  ),
];

function counted(answer: Json): Json {
  const own = (job: Json): Json =>
    ['queued', 'validating_files'].some((state) => valueAtPath(job, 'status') === state)
      ? setValue('/trained_tokens', 0)(job)
      : job;
  const data = arrayAt(answer, 'data');
  return data.length === 0 ? own(answer) : setValue('/data', data.map(own))(answer);
}
