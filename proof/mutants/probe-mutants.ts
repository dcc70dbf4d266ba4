import type { Exchange } from '../../exchange/exchange.ts';
import { isCancellation } from '../../judge/probe/probe-outcomes.ts';
import { probeRequirementId, subjectOf } from '../../judge/probe/request-constraints.ts';
import { violationsOf } from '../../judge/probe/request-violations.ts';
import type { Call } from '../../judge/trace/call.ts';
import { operations } from '../../schemas/index.ts';
import { withJsonResponse } from '../mutations/exchanges.ts';
import { type BaselineTrace, ERROR_BODY, MAX_MUTATED_REQUESTS, type Mutant } from './mutant.ts';

export function* probeMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline
    .calls(operations().map(({ id }) => id))
    .filter(({ exchange }) => exchange.probe !== null);
  const controls = new Map(calls.map(({ exchange }) => [exchange.probe?.id, exchange]));
  const counts = new Map<string, number>();
  for (const call of calls) {
    const { probe } = call.exchange;
    if (probe === null || call.variant === null) continue;
    const subject = subjectOf(call.operation, call.variant);
    const side = probe.side === 'valid' ? 'accepted' : 'rejected';
    const requirement = probeRequirementId({ subject, ...probe }, side);
    if (!baseline.selected.has(requirement)) continue;
    const n = (counts.get(requirement) ?? 0) + 1;
    counts.set(requirement, n);
    if (n > MAX_MUTATED_REQUESTS) continue;
    if (side === 'accepted') yield* refusedMutants(requirement, n, call);
    else yield* acceptedMutants(requirement, n, call, controls);
  }
}

/** A cancellation may come too late, so only 405 rejects it. */
function* refusedMutants(requirement: string, n: number, { exchange, operation }: Call): Generator<Mutant> {
  const statuses = { refused: isCancellation(operation) ? 405 : 400, failed: 500 };
  for (const [kind, status] of Object.entries(statuses)) {
    const exchanges = [withJsonResponse(exchange, status, ERROR_BODY)];
    yield { requirement, kind, name: `${kind}, probe ${n}`, exchanges };
  }
}

function* acceptedMutants(
  requirement: string,
  n: number,
  call: Call,
  controls: ReadonlyMap<string | undefined, Exchange>,
): Generator<Mutant> {
  const { exchange, responseClass } = call;
  const control = controls.get(exchange.probe?.control ?? '');
  if (control === undefined || responseClass === 'accepted') return;
  // A target that ignores the violation responds as it does to the valid request.
  const accepted: Exchange = { ...exchange, response: control.response, end: control.end };
  yield { requirement, kind: 'accepted', name: `accepted, probe ${n}`, exchanges: [control, accepted] };
  if (!violationsOf(call).some(({ id }) => id === requirement)) return;
  yield {
    requirement,
    kind: 'accepted without a label',
    name: `accepted without a label, probe ${n}`,
    exchanges: [{ ...accepted, probe: null }],
  };
}
