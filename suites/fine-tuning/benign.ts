import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';

const TELLING = ['createFineTuningJob', 'retrieveFineTuningJob', 'cancelFineTuningJob', 'listFineTuningJobs'];

/** What the specification leaves open about jobs, done in the other way. */
export const benign: readonly Benign[] = [
  ofEach('jobs that have trained on no tokens while they are queued', (exchange: Exchange) =>
    TELLING.some((operation) => calls(exchange, operation)) ? withAnswer(exchange, counted) : exchange,
  ),
];

function counted(answer: Json): Json {
  const own = (job: Json): Json =>
    ['queued', 'validating_files'].some((state) => get(job, 'status') === state)
      ? put('/trained_tokens', 0)(job)
      : job;
  const data = list(answer, 'data');
  return data.length === 0 ? own(answer) : put('/data', data.map(own))(answer);
}
