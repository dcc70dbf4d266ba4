import type { Exchange } from '../../exchange/exchange.ts';
import { assumptions } from '../../judge/acceptance/assumptions.ts';
import { fileIdsIn } from '../../judge/acceptance/attached-files.ts';
import { expectationOf } from '../../judge/acceptance/expectation.ts';
import { KnownObjects } from '../../judge/acceptance/known-objects.ts';
import { subjectOf } from '../../judge/probe/request-constraints.ts';
import { acceptanceRequirementId } from '../../judge/requirements/refusal-causes.ts';
import type { Call } from '../../judge/trace/call.ts';
import { operations } from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { withJsonResponse } from '../mutations/exchanges.ts';
import { type BaselineTrace, ERROR_BODY, type Mutant } from './mutant.ts';

const MAX_FEATURES = 6;
const MAX_EARLIER_PROOFS = 200;

/** A valid request, which the service must accept. */
interface DueRequest {
  readonly call: Call;
  readonly features: readonly string[];
  readonly assumes: readonly string[];
  readonly names: readonly string[];
}

export function* acceptanceMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline.calls(operations().map(({ id }) => id));
  const proofs = callsByAssumption(calls);
  for (const [subject, due] of dueRequests(baseline, calls)) {
    const requirement = acceptanceRequirementId(subject);
    if (!baseline.selected.has(requirement)) continue;
    const provable = due.filter((request) => new Refusals([request], proofs).areProven());
    for (const { name, refused } of refusalPlans(due, provable)) {
      const refusal = new Refusals(refused, proofs);
      if (refusal.areProven())
        yield { requirement, kind: 'refused', name, exchanges: refusal.apply(calls, due) };
    }
  }
}

/** A mutation that refuses some requests. `proofs`: by assumption, the calls that show that it holds. */
class Refusals {
  readonly #refused: readonly DueRequest[];
  readonly #proofs: ReadonlyMap<string, readonly Call[]>;
  readonly #ids: ReadonlySet<string>;

  constructor(refused: readonly DueRequest[], proofs: ReadonlyMap<string, readonly Call[]>) {
    this.#refused = refused;
    this.#proofs = proofs;
    this.#ids = new Set(refused.map(({ call }) => call.exchange.id));
  }

  #proofOf(assumption: string): Call | undefined {
    return this.#proofs.get(assumption)?.find(({ exchange }) => !this.#ids.has(exchange.id));
  }

  /** Whether other calls show everything that at least one of the refused requests assumes. */
  areProven(): boolean {
    return this.#refused.some(({ assumes }) =>
      assumes.every((assumption) => this.#proofOf(assumption) !== undefined),
    );
  }

  apply(calls: readonly Call[], due: readonly DueRequest[]): readonly Exchange[] {
    const objectIds = new Set(
      this.#refused.flatMap(({ call, names }) => [...Object.values(call.path), ...names]),
    );
    const kept = new Set(due.map(({ call }) => call));
    for (const assumption of this.#refused.flatMap(({ assumes }) => assumes)) {
      const proof = this.#proofOf(assumption);
      if (proof === undefined) continue;
      kept.add(proof);
      // Keeps the uploads too, because they contain the files of the proof.
      for (const id of fileIdsIn(proof.requestJson)) objectIds.add(id);
    }
    return calls
      .filter((call) => kept.has(call) || [...objectIds].some((id) => mentions(call, id)))
      .map(({ exchange }) =>
        this.#ids.has(exchange.id) ? withJsonResponse(exchange, 400, ERROR_BODY) : exchange,
      );
  }
}

function dueRequests(
  { header }: BaselineTrace,
  calls: readonly Call[],
): ReadonlyMap<string, readonly DueRequest[]> {
  const objects = new KnownObjects();
  const requests = new Map<string, DueRequest[]>();
  for (const call of calls) {
    const expectation = expectationOf(call, header, objects);
    const { variant } = call;
    if (expectation.kind === 'due' && variant !== null && call.responseClass === 'accepted') {
      const subject = subjectOf(call.operation, variant);
      const { features, assumes, names } = expectation;
      getOrMake(requests, subject, () => []).push({ call, features, assumes, names });
    }
    objects.call(call);
  }
  return requests;
}

function callsByAssumption(calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  const proofs = new Map<string, Call[]>();
  const objects = new KnownObjects();
  for (const call of calls) {
    const shown = call.responseClass === 'accepted' ? (assumptions(call, objects) ?? []) : [];
    for (const assumption of shown)
      proofs.set(assumption, [...(proofs.get(assumption) ?? []).slice(-MAX_EARLIER_PROOFS), call]);
    objects.call(call);
  }
  return proofs;
}

function* refusalPlans(
  due: readonly DueRequest[],
  provable: readonly DueRequest[],
): Generator<{ name: string; refused: readonly DueRequest[] }> {
  const [first] = provable;
  if (first !== undefined) yield { name: 'refuses one request', refused: [first] };
  const counts = new Map<string, number>();
  for (const { features } of due)
    for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const partial = [...counts].filter(([, count]) => count < due.length).toSorted(([, a], [, b]) => a - b);
  for (const [feature] of partial.slice(0, MAX_FEATURES))
    yield { name: `refuses ${feature}`, refused: due.filter(({ features }) => features.includes(feature)) };
}

function mentions({ exchange: { request, response } }: Call, id: string): boolean {
  return (
    request.target.includes(id) ||
    request.body.text?.includes(id) === true ||
    response?.body.text?.includes(id) === true
  );
}
