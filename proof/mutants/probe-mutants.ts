import type { Exchange } from '../../exchange/exchange.ts';
import { probeRequirementId, subjectOf } from '../../judge/probe/constraints.ts';
import { isCancellation } from '../../judge/probe/controls.ts';
import { violationsOf } from '../../judge/probe/unlabelled-violations.ts';
import type { Call } from '../../judge/trace/call.ts';
import { operations } from '../../schemas/index.ts';
import { withJsonResponse } from '../mutations/exchanges.ts';
import type { BaselineTrace, Mutant } from './mutant.ts';

/** Rejects valid probes and accepts violations. At most three probes of each requirement are mutated. */
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
    const rule = probeRequirementId({ subject, ...probe }, probe.side === 'valid' ? 'accepted' : 'rejected');
    if (rule === null || !baseline.proved.has(rule)) continue;
    const n = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, n);
    if (n > 3) continue;
    if (call.exchange.probe?.side === 'valid') yield* refused(rule, n, call);
    else yield* accepted(rule, n, call, controls);
  }
}

/** A valid probe answered with 4xx and with 500. A cancellation may come too late, so only a 405 rejects it. */
function* refused(rule: string, n: number, { exchange, operation }: Call): Generator<Mutant> {
  const statuses = { refused: isCancellation(operation) ? 405 : 400, failed: 500 };
  for (const [kind, status] of Object.entries(statuses)) {
    const exchanges = [withJsonResponse(exchange, status, { error: { message: 'no' } })];
    yield { requirement: rule, kind, name: `${kind}, probe ${n}`, exchanges };
  }
}

function* accepted(
  rule: string,
  n: number,
  call: Call,
  controls: ReadonlyMap<string | undefined, Exchange>,
): Generator<Mutant> {
  const { exchange, responseClass: outcome } = call;
  const control = controls.get(exchange.probe?.control ?? '');
  if (control === undefined || outcome === 'accepted') return;
  // A target that ignores the violation responds as it does to the valid request.
  const faked: Exchange = { ...exchange, response: control.response, end: control.end };
  yield { requirement: rule, kind: 'accepted', name: `accepted, probe ${n}`, exchanges: [control, faked] };
  const unlabelled: Exchange = { ...faked, probe: null };
  if (!violationsOf(call).some(({ id }) => id === rule)) return;
  yield {
    requirement: rule,
    kind: 'accepted without a label',
    name: `accepted without a label, probe ${n}`,
    exchanges: [unlabelled],
  };
}
