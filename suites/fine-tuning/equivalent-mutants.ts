import { callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Exchange, Json } from '../vocabulary/types.ts';

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
