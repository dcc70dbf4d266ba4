import type { Call } from '../call.ts';
import { Keyed } from '../keyed.ts';
import { isCarriedOut } from '../probe/carried-out.ts';
import type { Collector, Complaint, Evidence, Selector } from '../requirement.ts';

/** A labelled request of a suite, and what it differs from in one thing. */
export interface Trial extends Evidence {
  readonly call: Call;
  readonly side: 'valid' | 'violation';
}

/**
 * Requests that were sent to see what becomes of them, by the keyword of their label. One that names a control
 * proves something only where that was carried out.
 */
export function trials(operation: string, keyword: string): Selector<Trial> {
  return { operations: [operation], variant: null, collect: () => new TrialCollector(keyword) };
}

class TrialCollector implements Collector<Trial> {
  readonly #keyword: string;
  /** Whether a control was carried out, by its label. */
  readonly #controls = new Keyed<Call>();
  readonly #waiting = new Keyed<Trial[]>();

  constructor(keyword: string) {
    this.#keyword = keyword;
  }

  call(call: Call): readonly Trial[] {
    const { probe } = call.exchange;
    if (probe?.keyword !== this.#keyword) return [];
    this.#controls.set(probe.id, call);
    const freed = isCarriedOut(call) ? (this.#waiting.get(probe.id) ?? []) : [];
    this.#waiting.delete(probe.id);
    return [...freed.map((trial) => beside(trial, call)), ...this.#own(call, probe)];
  }

  finish(): readonly Trial[] {
    return [];
  }

  #own(call: Call, { side, control }: { side: Trial['side']; control: string | null }): readonly Trial[] {
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
export function mustAccept({ call }: Trial): Complaint[] {
  if (call.outcome === 'accepted') return [];
  return [complaint(call, 'an answer 2xx', call.outcome === 'capacity' ? 'capacity' : undefined)];
}

/** Says that a request is refused. */
export function mustReject({ call }: Trial): Complaint[] {
  if (call.outcome === 'rejected' || (call.outcome === 'absent' && namesModel(call))) return [];
  if (call.outcome === 'accepted') return [complaint(call, 'a rejection')];
  return [complaint(call, 'an answer that tells', call.outcome === 'capacity' ? 'capacity' : 'target-error')];
}

/** Whether it is about the model that is asked for: one that is not there may be called not found. */
function namesModel({ exchange: { probe } }: Call): boolean {
  return probe?.pointer === 'body.model';
}

function beside(trial: Trial, control: Call): Trial {
  return { ...trial, exchanges: [control.exchange, trial.call.exchange] };
}

/** Whether an answer tells anything of the request: a refusal of the caller, a reset and an answer of no form tell nothing. */
function tells(call: Call): boolean {
  const { outcome, exchange } = call;
  if (exchange.probe?.side === 'valid' && outcome === 'accepted') return isCarriedOut(call);
  if (outcome === 'absent') return exchange.probe?.side === 'valid' || namesModel(call);
  return outcome !== 'refused' && outcome !== 'unanswered';
}

function complaint(call: Call, expected: string, inconclusive?: Complaint['inconclusive']): Complaint {
  const found = { at: 'status', expected, actual: call.status, exchange: call.exchange.id };
  return inconclusive === undefined ? found : { ...found, inconclusive };
}
