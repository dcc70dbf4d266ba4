import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exchange } from '../exchange/exchange.ts';
import type { Obstacle } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { messageOf } from '../schemas/error-message.ts';
import { extensions } from '../schemas/index.ts';
import { bodyFeatures } from './acceptance/body-features.ts';
import type { NearestEvidence } from './coverage/nearest-evidence.ts';
import { AppliedErrata } from './dialects/errata.ts';
import { bodyOf } from './probe/request-violations.ts';
import { RequirementState } from './requirement-state.ts';
import type { AcceptanceFacts } from './requirements/acceptance-facts.ts';
import type { Requirement } from './requirements/catalogue.ts';
import type { RequestViolation, ResultSink, VocabularySide } from './requirements/evaluator.ts';
import type { Diagnosis, Failures, RefusalCauses } from './requirements/refusal-causes.ts';
import type { Supposition, Violation } from './requirements/requirement.ts';
import { SupposedResults } from './supposed-results.ts';
import { Call } from './trace/call.ts';
import { numberOf } from './trace/timed.ts';

export interface StateSinkOptions {
  readonly header: TraceHeader;
  readonly states: ReadonlyMap<string, RequirementState>;
  readonly errata: AppliedErrata;
  readonly explainer: Pick<ResultSink, 'explainRefusals'>;
  /** Receives exchanges that are nearly evidence; absent if they are not needed. */
  readonly nearest?: NearestEvidence;
  readonly onViolation?:
    | ((violation: Violation, requirement: Requirement, evidence: readonly Exchange[]) => void)
    | undefined;
}

export class StateSink implements ResultSink {
  readonly header: TraceHeader;
  /** Position in the traffic, in ended exchanges; decides which of several facts came first. */
  now = 0;
  /** How many exchanges came before the current trace; the number identifies the trace. */
  exchangesBefore = 0;
  readonly suppositions = new SupposedResults();
  readonly diagnoses: Diagnosis[] = [];
  failures: Failures = { breakdowns: [], lost: [] };
  readonly excusedRefusals = new Set<string>();
  readonly #options: StateSinkOptions;

  constructor(options: StateSinkOptions) {
    this.header = options.header;
    this.#options = options;
  }

  observe(id: string, times: number, by: readonly Pick<Exchange, 'id'>[]): void {
    this.#stateOf(id).observe(times, by);
  }

  recordTrial(id: string, requests: string, outcome: 'met' | 'violated'): void {
    this.#stateOf(id).recordTrial(requests, outcome);
  }

  showCompliance(id: string): void {
    this.suppositions.show(id, this.exchangesBefore);
  }

  /** Returns a sink for results that count only if the trace shows compliance or, if `holds` is false, shows none. */
  suppose(id: string, { holds, holdsHere }: Supposition, evidence: readonly Exchange[]): ResultSink {
    const { requirement } = this.#stateOf(id);
    const state = new RequirementState(requirement);
    const errata = new AppliedErrata(this.#options.errata.dialect);
    const onViolation = holdsHere ? this.#options.onViolation : undefined;
    const by = numberOf(evidence.at(-1)?.id ?? '');
    this.suppositions.add(id, this.exchangesBefore, { holds, by, state, errata });
    const sink = new StateSink({ ...this.#options, states: new Map([[id, state]]), errata, onViolation });
    sink.now = this.now;
    return sink;
  }

  /** Records a violation, or an excuse if an erratum of the active dialect covers it. */
  report(id: string, violation: Violation, evidence: readonly Exchange[]): void {
    const { errata, header, onViolation } = this.#options;
    const state = this.#stateOf(id);
    const proof = evidence.find((candidate) => candidate.id === violation.exchange) ?? evidence.at(-1);
    const call = proof === undefined ? null : Call.from(proof, header.betaHeader, errata.dialect);
    const erratum = errata.find(id, violation, call);
    const exchange = violation.exchange ?? proof?.id ?? '';
    if (erratum !== null) {
      state.recordFact('excuse', erratum, this.now, exchange);
      return;
    }
    state.report(violation, { exchange, call, at: this.now });
    if (violation.inconclusive === undefined) onViolation?.(violation, state.requirement, evidence);
  }

  /** Returns the violations that the active dialect does not permit; all of them without a dialect. */
  recordVocabulary(
    call: Call,
    violations: readonly RequestViolation[],
    side: VocabularySide,
  ): readonly RequestViolation[] {
    const { dialect, vocabulary } = this.#options.errata;
    if (dialect === null) return violations;
    const body = vocabulary.hasOpenFields ? bodyOf(call) : null;
    const unlisted = body === null ? [] : bodyFeatures(body.tree, body.value).unlisted;
    return vocabulary.recordPermitted(call, { violations, unlisted }, side);
  }

  /** Keeps the first obstacle: later ones are usually consequences. */
  block(id: string, exchange: string, obstacle: Obstacle): void {
    this.#stateOf(id).recordFact('blocked', { exchange, obstacle }, this.now, exchange);
  }

  /** Passes on near misses in scenarios. Returns false if the requirement needs no more, because it has evidence. */
  recordMiss(id: string, exchanges: readonly Exchange[], met: number): boolean {
    // This test is cheap and comes first, because most exchanges have no scenario.
    if (exchanges.at(-1)?.scenario == null) return true;
    if (this.#stateOf(id).observations > 0) return false;
    this.#options.nearest?.recordMiss(id, exchanges, met);
    return true;
  }

  /** Returns the causes, and keeps what verdicts need of them and of the facts in `diagnoses` and `failures`. */
  explainRefusals(facts: AcceptanceFacts): RefusalCauses {
    const causes = this.#options.explainer.explainRefusals(facts);
    this.diagnoses.push(...causes.diagnoses);
    this.failures = {
      breakdowns: [...this.failures.breakdowns, ...causes.breakdowns],
      lost: [...this.failures.lost, ...facts.lost],
    };
    return causes;
  }

  excuse(exchanges: Iterable<string>): void {
    for (const id of exchanges) this.excusedRefusals.add(id);
  }

  fail(id: string, error: unknown): void {
    const state = this.#stateOf(id);
    // A response nested so deeply that it overflows the stack is a problem of the target, not a bug in assay.
    if (error instanceof RangeError && /call stack/i.test(error.message))
      state.recordFact('inconclusive', { kind: 'nesting' }, this.now);
    else state.recordFact('fault', `${messageOf(error)}${placeInSuite(error)}`, this.now);
  }

  #stateOf(id: string): RequirementState {
    const state = this.#options.states.get(id);
    if (state === undefined) throw new Error(`${id} is judged, but not in the catalogue`);
    return state;
  }
}

/** The innermost line of an extension's suite in the stack of an error: ` (tokens.suite.mjs:12)`; empty if none. */
function placeInSuite(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const suites = extensions().flatMap(({ suites }) => suites);
  for (const line of stack.split('\n')) {
    const suite = suites.find((path) => line.includes(path) || line.includes(pathToFileURL(path).href));
    const [, row] = /:(\d+):\d+\)?$/.exec(line) ?? [];
    if (suite !== undefined && row !== undefined) return ` (${basename(suite)}:${row})`;
  }
  return '';
}
