import type { Exchange } from '../../exchange/exchange.ts';
import type { Obstacle } from '../../exchange/note.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { Diagnosis } from '../acceptance/diagnosis.ts';
import { bodyFeatures } from '../acceptance/features.ts';
import type { AppliedErrata } from '../dialects/errata.ts';
import { bodyOf, type RequestViolation } from '../probe/unlabelled-violations.ts';
import type { Requirement, ResultSink } from '../requirements/catalogue.ts';
import type { Violation } from '../requirements/requirement.ts';
import { Call } from '../trace/call.ts';
import type { RequirementState } from './requirement-state.ts';

interface StateSinkOptions {
  readonly header: TraceHeader;
  readonly states: ReadonlyMap<string, RequirementState>;
  readonly errata: AppliedErrata;
  /** Called with each violation that is neither excused nor inconclusive. */
  readonly onViolation:
    | ((violation: Violation, requirement: Requirement, evidence: readonly Exchange[]) => void)
    | undefined;
}

/** Keeps the results of all evaluators in the state of each requirement. Every method throws for an id that is not in the catalogue. */
export class StateSink implements ResultSink {
  readonly header: TraceHeader;
  /** In the order in which they were reported: of each trace the greatest first. */
  readonly diagnoses: Diagnosis[] = [];
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

  /** An erratum of the dialect in force turns the violation into an excuse. */
  report(id: string, violation: Violation, evidence: readonly Exchange[]): void {
    const { errata, header, onViolation } = this.#options;
    const state = this.#stateOf(id);
    const named = violation.exchange;
    const shown = evidence.find((exchange) => exchange.id === named) ?? evidence.at(-1);
    const call = shown === undefined ? null : Call.of(shown, header.betaHeader, errata.dialect);
    const erratum = errata.find(id, violation, call);
    if (erratum !== null) {
      state.excuse ??= erratum;
      return;
    }
    state.report(violation, named ?? shown?.id ?? '', call);
    if (violation.inconclusive === undefined) onViolation?.(violation, state.requirement, evidence);
  }

  /** Values beyond the specification are choices where the dialect in force permits them. */
  remaining(call: Call, violations: readonly RequestViolation[]): readonly RequestViolation[] {
    const { dialect, vocabulary } = this.#options.errata;
    if (dialect === null) return violations;
    const body = vocabulary.wantsFields ? bodyOf(call) : null;
    const unlisted = body === null ? [] : bodyFeatures(body.tree, body.value).unlisted;
    return vocabulary.remaining(call, violations, unlisted);
  }

  /** The first obstacle is kept: later ones are usually its consequences. */
  block(id: string, exchange: string, obstacle: Obstacle): void {
    this.#stateOf(id).blocked ??= { exchange, obstacle };
  }

  diagnose(diagnosis: Diagnosis): void {
    this.diagnoses.push(diagnosis);
  }

  excuse(exchanges: Iterable<string>): void {
    for (const id of exchanges) this.excusedRefusals.add(id);
  }

  fail(id: string, error: unknown): void {
    const state = this.#stateOf(id);
    // An answer nested so deeply that walking it overflows the stack is a property of the target, not a defect of assay.
    if (error instanceof RangeError && /call stack/i.test(error.message))
      state.inconclusive ??= { kind: 'nesting' };
    else state.fault ??= messageOf(error);
  }

  #stateOf(id: string): RequirementState {
    const state = this.#options.states.get(id);
    if (state === undefined) throw new Error(`${id} is judged, but not in the catalogue`);
    return state;
  }
}
