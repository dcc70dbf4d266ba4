import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, valueAtPath } from '../../judge/evidence/json.ts';
import {
  type EquivalentMutant,
  inEachExchange,
} from '../../judge/mutation-testing/equivalent-mutants/equivalent-mutant.ts';
import { withResponseJson } from '../../judge/mutations/exchanges.ts';
import { callsOperation } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';

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
