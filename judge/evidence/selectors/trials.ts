import { isCarriedOut } from '../../probe/carried-out.ts';
import type { Collector, Evidence, Selector, Violation } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';
import { LruMap } from '../lru-map.ts';

/** A labelled request of a suite, and what it differs from in one thing. */
export interface ProbeResult extends Evidence {
  readonly call: Call;
  readonly side: 'valid' | 'violation';
}

/**
 * Requests that were sent to see what becomes of them, by the keyword of their label. One that names a control
 * proves something only where that was carried out.
 */
export function probeResults(operation: string, keyword: string): Selector<ProbeResult> {
  return { operations: [operation], variant: null, collect: () => new TrialCollector(keyword) };
}

class TrialCollector implements Collector<ProbeResult> {
  readonly #keyword: string;
  /** Whether a control was carried out, by its label. */
  readonly #controls = new LruMap<Call>();
  readonly #waiting = new LruMap<ProbeResult[]>();

  constructor(keyword: string) {
    this.#keyword = keyword;
  }

  call(call: Call): readonly ProbeResult[] {
    const { probe } = call.exchange;
    if (probe?.keyword !== this.#keyword) return [];
    this.#controls.set(probe.id, call);
    const freed = isCarriedOut(call) ? (this.#waiting.get(probe.id) ?? []) : [];
    this.#waiting.delete(probe.id);
    return [...freed.map((trial) => beside(trial, call)), ...this.#own(call, probe)];
  }

  finish(): readonly ProbeResult[] {
    return [];
  }

  #own(
    call: Call,
    { side, control }: { side: ProbeResult['side']; control: string | null },
  ): readonly ProbeResult[] {
    const trial = { call, side, exchanges: [call.exchange] };
    if (!tells(call)) return [];
    if (control === null) return [trial];
    const known = this.#controls.get(control);
    if (known !== undefined) return isCarriedOut(known) ? [beside(trial, known)] : [];
    this.#waiting.at(control, () => []).push(trial);
    return [];
  }
}

/** Says that a request is carried out. */
export function mustAccept({ call }: ProbeResult): Violation[] {
  if (call.responseClass === 'accepted') return [];
  return [complaint(call, 'an answer 2xx', call.responseClass === 'capacity' ? 'capacity' : undefined)];
}

/** Says that a request is refused. */
export function mustReject({ call }: ProbeResult): Violation[] {
  if (call.responseClass === 'rejected' || (call.responseClass === 'absent' && namesModel(call))) return [];
  if (call.responseClass === 'accepted') return [complaint(call, 'a rejection')];
  return [
    complaint(call, 'an answer that tells', call.responseClass === 'capacity' ? 'capacity' : 'target-error'),
  ];
}

/** Whether it is about the model that is asked for: one that is not there may be called not found. */
function namesModel({ exchange: { probe } }: Call): boolean {
  return probe?.pointer === 'body.model';
}

function beside(trial: ProbeResult, control: Call): ProbeResult {
  return { ...trial, exchanges: [control.exchange, trial.call.exchange] };
}

/** Whether an answer tells anything of the request: a refusal of the caller, a reset and an answer of no form tell nothing. */
function tells(call: Call): boolean {
  const { responseClass: outcome, exchange } = call;
  if (exchange.probe?.side === 'valid' && outcome === 'accepted') return isCarriedOut(call);
  if (outcome === 'absent') return exchange.probe?.side === 'valid' || namesModel(call);
  return outcome !== 'refused' && outcome !== 'unanswered';
}

function complaint(call: Call, expected: string, inconclusive?: Violation['inconclusive']): Violation {
  const found = { at: 'status', expected, actual: call.status, exchange: call.exchange.id };
  return inconclusive === undefined ? found : { ...found, inconclusive };
}
