import type { Exchange } from '../../exchange/exchange.ts';
import { assumptions, expectationOf } from '../../judge/acceptance/expectation.ts';
import { fileIdsIn, KnownObjects } from '../../judge/acceptance/known-objects.ts';
import { subjectOf } from '../../judge/probe/constraints.ts';
import { acceptanceRequirementId } from '../../judge/requirements/refusals.ts';
import type { Call } from '../../judge/trace/call.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { operations } from '../../schemas/index.ts';
import { withJsonResponse } from '../mutations/exchanges.ts';
import type { BaselineTrace, Mutant } from './mutant.ts';

/** Maximum number of features per operation for which requests are refused. */
const MAX_FEATURES = 6;

interface DueRequest {
  readonly call: Call;
  readonly features: readonly string[];
  readonly assumes: readonly string[];
  readonly names: readonly string[];
}

/** Refuses one valid request of each operation, and all requests with a certain feature. */
export function* acceptanceMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline.calls(operations().map(({ id }) => id));
  const proofs = callsByAssumption(calls);
  for (const [subject, due] of dueRequests(baseline, calls)) {
    const requirement = acceptanceRequirementId(subject);
    if (!baseline.proved.has(requirement)) continue;
    const provable = due.filter((one) => areProven([one], proofs, new Set([one.call.exchange.id])));
    for (const { name, refused } of refusals(due, provable)) {
      const ids = new Set(refused.map(({ call }) => call.exchange.id));
      if (!areProven(refused, proofs, ids)) continue;
      yield { requirement, kind: 'refused', name, exchanges: withRefusals(calls, { due, proofs, ids }) };
    }
  }
}

function dueRequests(
  { header }: BaselineTrace,
  calls: readonly Call[],
): ReadonlyMap<string, readonly DueRequest[]> {
  const objects = new KnownObjects();
  const found = new Map<string, DueRequest[]>();
  for (const call of calls) {
    const expectation = expectationOf(call, header, objects);
    const { variant } = call;
    if (expectation.kind === 'due' && variant !== null && call.responseClass === 'accepted') {
      const subject = subjectOf(call.operation, variant);
      const { features, assumes, names } = expectation;
      getOrMake(found, subject, () => []).push({ call, features, assumes, names });
    }
    objects.call(call);
  }
  return found;
}

function callsByAssumption(calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  const found = new Map<string, Call[]>();
  const objects = new KnownObjects();
  for (const call of calls) {
    const shown = call.responseClass === 'accepted' ? (assumptions(call, objects) ?? []) : [];
    for (const one of shown) found.set(one, [...(found.get(one) ?? []).slice(-200), call]);
    objects.call(call);
  }
  return found;
}

function* refusals(
  due: readonly DueRequest[],
  provable: readonly DueRequest[],
): Generator<{ name: string; refused: readonly DueRequest[] }> {
  for (const one of provable.slice(0, 1)) yield { name: 'refuses one request', refused: [one] };
  const counts = new Map<string, number>();
  for (const { features } of due)
    for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const partial = [...counts].filter(([, count]) => count < due.length).toSorted(([, a], [, b]) => a - b);
  for (const [feature] of partial.slice(0, MAX_FEATURES))
    yield {
      name: `refuses ${feature}`,
      refused: due.filter(({ features }) => features.includes(feature)),
    };
}

function areProven(
  refused: readonly DueRequest[],
  proofs: ReadonlyMap<string, readonly Call[]>,
  ids: ReadonlySet<string>,
): boolean {
  return refused.some(({ assumes }) =>
    assumes.every((one) => proofs.get(one)?.some(({ exchange }) => !ids.has(exchange.id)) === true),
  );
}

function withRefusals(
  calls: readonly Call[],
  {
    due,
    proofs,
    ids,
  }: {
    readonly due: readonly DueRequest[];
    readonly proofs: ReadonlyMap<string, readonly Call[]>;
    readonly ids: ReadonlySet<string>;
  },
): readonly Exchange[] {
  const refused = due.filter(({ call }) => ids.has(call.exchange.id));
  const objects = new Set(refused.flatMap(({ call, names }) => [...Object.values(call.path), ...names]));
  const kept = new Set(due.map(({ call }) => call));
  for (const one of refused.flatMap(({ assumes }) => assumes)) {
    const proof = proofs.get(one)?.find(({ exchange }) => !ids.has(exchange.id));
    if (proof === undefined) continue;
    kept.add(proof);
    // The uploads show what the files of the proof contain.
    for (const id of fileIdsIn(proof.requestJson)) objects.add(id);
  }
  return calls
    .filter((call) => kept.has(call) || [...objects].some((id) => mentions(call, id)))
    .map(({ exchange }) =>
      ids.has(exchange.id) ? withJsonResponse(exchange, 400, { error: { message: 'no' } }) : exchange,
    );
}

function mentions({ exchange: { request, response } }: Call, id: string): boolean {
  return (
    request.target.includes(id) ||
    request.body.text?.includes(id) === true ||
    response?.body.text?.includes(id) === true
  );
}
