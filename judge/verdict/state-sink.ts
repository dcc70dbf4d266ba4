import type { Exchange } from '../../exchange/exchange.ts';
import type { Obstacle } from '../../exchange/note.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { Diagnosis } from '../acceptance/diagnosis.ts';
import { bodyFeatures } from '../acceptance/features.ts';
import type { AppliedErrata } from '../dialects/errata.ts';
import type { Erratum, VocabularySide } from '../dialects/erratum.ts';
import type { NearestEvidence } from '../missing-evidence/nearest.ts';
import { numberOf } from '../partial/earliest.ts';
import { bodyOf, type RequestViolation } from '../probe/unlabelled-violations.ts';
import type { Requirement, ResultSink } from '../requirements/catalogue.ts';
import type { Supposition, Violation } from '../requirements/requirement.ts';
import { Call } from '../trace/call.ts';
import type { Failures } from './breakdown-verdicts.ts';
import { RequirementState } from './requirement-state.ts';
import { SupposedResults } from './supposed-results.ts';

/** Options of a sink for results. */
export interface StateSinkOptions {
  readonly header: TraceHeader;
  readonly states: ReadonlyMap<string, RequirementState>;
  readonly errata: AppliedErrata;
  /** Receives the evidence of what nothing has shown yet. */
  readonly nearest?: NearestEvidence;
  /** Called with each violation that is neither excused nor inconclusive. */
  readonly onViolation:
    | ((violation: Violation, requirement: Requirement, evidence: readonly Exchange[]) => void)
    | undefined;
}

/** Keeps the results of all evaluators in the state of each requirement. Every method throws for an id that is not in the catalogue. */
export class StateSink implements ResultSink {
  readonly header: TraceHeader;
  /** How many exchanges have ended: orders what is reported once. */
  now = 0;
  /** How many exchanges came before this trace. */
  trace = 0;
  /** What depends on all parts of the traffic. */
  readonly suppositions = new SupposedResults();
  /** In the order in which they were reported: of each trace the greatest first. */
  readonly diagnoses: Diagnosis[] = [];
  /** Failures of the target in all traces. */
  failures: Failures = { breakdowns: [], lost: [] };
  /** Ids of exchanges whose refusal is in order. */
  readonly excusedRefusals = new Set<string>();
  readonly #options: StateSinkOptions;

  constructor(options: StateSinkOptions) {
    this.header = options.header;
    this.#options = options;
  }

  observe(id: string, times: number): void {
    this.#stateOf(id).observations += times;
  }

  showCompliance(id: string): void {
    this.suppositions.show(id, this.trace);
  }

  supposing(id: string, { holds, isSoHere }: Supposition, evidence: readonly Exchange[]): ResultSink {
    const { requirement } = this.#stateOf(id);
    const state = new RequirementState(requirement);
    const excuses: Erratum[] = [];
    const { onViolation } = this.#options;
    const by = numberOf(evidence.at(-1)?.id ?? '');
    this.suppositions.add(id, this.trace, { holds, by, state, excuses });
    return new SupposedSink(
      { ...this.#options, states: new Map([[id, state]]), onViolation: isSoHere ? onViolation : undefined },
      { now: this.now, excuses },
    );
  }

  /** An erratum of the dialect in force turns the violation into an excuse. */
  report(id: string, violation: Violation, evidence: readonly Exchange[]): void {
    const { errata, header, onViolation } = this.#options;
    const state = this.#stateOf(id);
    const named = violation.exchange;
    const shown = evidence.find((exchange) => exchange.id === named) ?? evidence.at(-1);
    const call = shown === undefined ? null : Call.of(shown, header.betaHeader, errata.dialect);
    const erratum = this.excuseOf(id, violation, call);
    const exchange = named ?? shown?.id ?? '';
    if (erratum !== null) {
      state.excuseBy(erratum, exchange, this.now);
      return;
    }
    state.report(violation, { exchange, call, at: this.now });
    if (violation.inconclusive === undefined) onViolation?.(violation, state.requirement, evidence);
  }

  /** The erratum of the dialect in force that excuses a violation, which is counted. */
  protected excuseOf(id: string, violation: Violation, call: Call | null): Erratum | null {
    return this.#options.errata.find(id, violation, call);
  }

  /** Values beyond the specification are choices where the dialect in force permits them. */
  remaining(
    call: Call,
    violations: readonly RequestViolation[],
    side: VocabularySide,
  ): readonly RequestViolation[] {
    const { dialect, vocabulary } = this.#options.errata;
    if (dialect === null) return violations;
    const body = vocabulary.wantsFields ? bodyOf(call) : null;
    const unlisted = body === null ? [] : bodyFeatures(body.tree, body.value).unlisted;
    return vocabulary.remaining(call, { violations, unlisted }, side);
  }

  /** The first obstacle is kept: later ones are usually its consequences. */
  block(id: string, exchange: string, obstacle: Obstacle): void {
    this.#stateOf(id).block(obstacle, exchange, this.now);
  }

  missed(id: string, exchanges: readonly Exchange[], met: number): void {
    // Most traffic has no scenario, which needs no look at the state.
    if (exchanges.at(-1)?.scenario == null || this.#stateOf(id).observations > 0) return;
    this.#options.nearest?.missed(id, exchanges, met);
  }

  diagnose(diagnosis: Diagnosis): void {
    this.diagnoses.push(diagnosis);
  }

  excuse(exchanges: Iterable<string>): void {
    for (const id of exchanges) this.excusedRefusals.add(id);
  }

  explainFailures({ breakdowns, lost }: Failures): void {
    const known = this.failures;
    this.failures = {
      breakdowns: [...known.breakdowns, ...breakdowns],
      lost: [...known.lost, ...lost],
    };
  }

  fail(id: string, error: unknown): void {
    const state = this.#stateOf(id);
    // An answer nested so deeply that walking it overflows the stack is a property of the target, not a defect of assay.
    if (error instanceof RangeError && /call stack/i.test(error.message))
      state.giveUp({ kind: 'nesting' }, this.now);
    else state.fail(messageOf(error), this.now);
  }

  #stateOf(id: string): RequirementState {
    const state = this.#options.states.get(id);
    if (state === undefined) throw new Error(`${id} is judged, but not in the catalogue`);
    return state;
  }
}

/** Receives what counts only under a supposition: errata that excuse it are counted when that turns out to be true. */
class SupposedSink extends StateSink {
  readonly #excuses: Erratum[];
  readonly #dialect: AppliedErrata['dialect'];

  constructor(
    options: StateSinkOptions,
    { now, excuses }: { readonly now: number; readonly excuses: Erratum[] },
  ) {
    super(options);
    this.now = now;
    this.#excuses = excuses;
    this.#dialect = options.errata.dialect;
  }

  protected override excuseOf(id: string, violation: Violation, call: Call | null): Erratum | null {
    const erratum =
      violation.inconclusive === undefined ? (this.#dialect?.excuse(id, violation, call) ?? null) : null;
    if (erratum !== null) this.#excuses.push(erratum);
    return erratum;
  }
}
