import type { Exchange } from '../../exchange/exchange.ts';
import type { Obstacle } from '../../exchange/note.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import type { AcceptanceFacts } from './acceptance-facts.ts';
import type { RefusalCauses } from './refusal-causes.ts';
import type { Evidence, Selector, Supposition, Violation } from './requirement.ts';

/** A constraint that a request violates. `at`: JSON pointer in the body, or `query NAME`. */
export interface RequestViolation extends Pick<Violation, 'at' | 'expected' | 'actual'> {
  /** Id of the requirement that a request with this violation is rejected. */
  readonly id: string;
  readonly origin: {
    readonly subject: string;
    readonly pointer: string;
    readonly keyword: string;
  };
}

export type VocabularySide = 'server' | 'client';

export interface ResultSink {
  readonly header: TraceHeader;
  /** Counts `times` pieces of evidence. `by`: the exchanges of the first piece; the last exchange completes it. */
  observe(id: string, times: number, by: readonly Pick<Exchange, 'id'>[]): void;
  /** Reports a violation. `evidence`: its exchanges. The last one shows it unless the violation names another. */
  report(id: string, violation: Violation, evidence: readonly Exchange[]): void;
  block(id: string, exchange: string, obstacle: Obstacle): void;
  /** Records exchanges that meet only the first `met` conditions. Returns false if the requirement needs no more. */
  recordMiss?(id: string, exchanges: readonly Exchange[], met: number): boolean;
  /** Records an outcome that may be due to chance. `requests`: a key that trials with the same requests share. */
  recordTrial?(id: string, requests: string, outcome: 'met' | 'violated'): void;
  /** Records that the target complies with the requirement in this trace. */
  showCompliance?(id: string): void;
  /** Returns a sink for results that count only if the supposition turns out to be right. */
  suppose?(id: string, supposition: Supposition, evidence: readonly Exchange[]): ResultSink;
  /** Returns the causes of refused and failed requests. Called once, with the facts about all traffic. */
  explainRefusals(facts: AcceptanceFacts): RefusalCauses;
  /** Records values beyond the specification, and returns the violations that no dialect permits. */
  recordVocabulary?(
    call: Call,
    violations: readonly RequestViolation[],
    side: VocabularySide,
  ): readonly RequestViolation[];
  /** Records ids of exchanges whose refusal is permitted, so that evidence that they block is not expected. */
  excuse(exchanges: Iterable<string>): void;
  /** Records that a check threw, which is a bug in assay or in a suite of an extension. */
  fail(id: string, error: unknown): void;
}

export interface Evaluator {
  /** Set if it needs responses that were disturbed on purpose, to judge how a client reacts. */
  readonly seesDisturbed?: true;
  /** Receives a call to judge. Calls come in the order in which they ended. */
  call(call: Call): void;
  /** Receives a call under the alternative spelling of its path, which concerns only choices. */
  elsewhere?(call: Call): void;
  /** Receives an exchange that calls no operation. */
  download?(exchange: Exchange): void;
  /** Receives a call outside the specification: it invalidates earlier evidence about objects it may have changed. */
  outside?(call: OutsideCall): void;
  /** Records that a choice permits the refusal of this exchange. May be called before or after `call`. */
  permit?(exchange: string): void;
  /** Receives a call that is judged with another part of the traffic; remembers it if later calls depend on it. */
  context?(call: Call): void;
  /** Starts another trace; evaluators without it are replaced. `before`: number of exchanges in earlier traces. */
  next?(before?: number): void;
  /** Ends the trace and reports results that are known only now. */
  finish(): void;
  /** Reports results that depend on all parts of the traffic. */
  conclude?(): void;
}

export interface EvidenceListener {
  /** Listeners with the same selector object share its evidence, which is collected once. */
  readonly selector: Selector<Evidence>;
  receive(evidence: Evidence): void;
  /** Receives evidence that is judged with another part of the traffic. */
  receiveForeign?(evidence: Evidence): void;
  /** Receives evidence that meets only the first `met` conditions of the selector; returns false to get no more. */
  miss?(evidence: Evidence, met: number): boolean;
  /** Receives the error that the selector or one of its conditions threw, except UnknownRequestError. */
  fail(error: unknown): void;
}
