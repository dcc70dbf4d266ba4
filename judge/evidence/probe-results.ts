import type { Probe } from '../../exchange/exchange.ts';
import { ClosedProbes } from '../probe/closed-probes.ts';
import { controlOf } from '../probe/controls.ts';
import { BASE_KEYWORD, baseLabel, isCarriedOut, isRejection } from '../probe/probe-outcomes.ts';
import type { Collector, Evidence, Selector, Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { isClosed, mayStayUnread } from '../trace/closed-connection.ts';
import { LruMap } from '../trace/lru-map.ts';

export interface ProbeResult extends Evidence {
  /** The call of the probe. */
  readonly call: Call;
  /** Whether the probe is a valid request or a violation. */
  readonly side: 'valid' | 'violation';
}

/**
 * Probes with this keyword whose response, or repeatedly closed connection, can be judged. A probe with a control
 * counts only if the control was carried out. A valid probe whose control is a base also counts if it was carried out
 * itself, or if its base was never sent.
 */
export function probeResults(operation: string, keyword: string): Selector<ProbeResult> {
  return {
    operations: [operation],
    variant: null,
    needs: `a conclusive answer of ${operation} to a probe of ${keyword} whose control was accepted`,
    collect: () => new ProbeResultCollector(keyword),
  };
}

class ProbeResultCollector implements Collector<ProbeResult> {
  readonly #keyword: string;
  /** Only calls that were carried out. */
  readonly #controls = new LruMap<Call>();
  readonly #waiting = new LruMap<ProbeResult[]>();
  readonly #refused = new LruMap<ProbeResult[]>();
  readonly #closed = new ClosedProbes();

  constructor(keyword: string) {
    this.#keyword = keyword;
  }

  call(call: Call): readonly ProbeResult[] {
    const { probe } = call.exchange;
    if (probe?.keyword === BASE_KEYWORD) return this.#settleBase(call, probe.id);
    if (probe?.keyword !== this.#keyword) return [];
    return [...this.#settleControl(call, probe.id), ...this.#judgeProbe(call, probe)];
  }

  /** A request that failed may be sent again, so probes wait until their control is carried out. */
  #settleControl(call: Call, label: string): readonly ProbeResult[] {
    if (!isCarriedOut(call)) return [];
    this.#controls.set(label, call);
    const results = this.#waiting.get(label) ?? [];
    this.#waiting.delete(label);
    return results.map((result) => withControl(result, call));
  }

  #judgeProbe(call: Call, { id: label, side, control }: Probe): readonly ProbeResult[] {
    const result = { call, side, exchanges: [call.exchange] };
    if (call.status !== null) this.#closed.settle(label);
    if (!isEvidence(call) && !this.#recordClosing(call)) return [];
    if (control === null) return [result];
    const hasBase = side === 'valid' && control === baseLabel(label.replace(/\.valid\d*$/, ''));
    if (hasBase && isCarriedOut(call)) return [result];
    const controlCall = hasBase ? undefined : this.#controls.get(control);
    if (controlCall !== undefined) return [withControl(result, controlCall)];
    (hasBase ? this.#refused : this.#waiting).at(control, () => []).push(result);
    return [];
  }

  /**
   * Records a closed connection; returns true if it closed again. A single one proves nothing, because a target that
   * refuses a body for its length need not read it.
   */
  #recordClosing(call: Call): boolean {
    const { exchange } = call;
    if (exchange.probe === null || !isClosed(exchange) || !mayStayUnread(exchange.request)) return false;
    return this.#closed.add(exchange.probe.id, call).hasClosedAgain;
  }

  /** A base that is refused for good drops its probes, even if another run, whose labels are the same, accepts it. */
  #settleBase(call: Call, label: string): readonly ProbeResult[] {
    const { isAccepted, mayChange } = controlOf(call);
    if (isAccepted || mayChange) this.#waiting.at(label, () => []).push(...(this.#refused.get(label) ?? []));
    else this.#waiting.delete(label);
    this.#refused.delete(label);
    return this.#settleControl(call, label);
  }

  /** Returns the refused probes whose base was never sent: they count on their own. */
  finish(): readonly ProbeResult[] {
    return [...this.#refused.values()].flat();
  }
}

/** The request must be carried out. A lack of capacity is inconclusive. */
export function mustAccept({ call }: ProbeResult): Violation[] {
  if (call.responseClass === 'accepted') return [];
  return [statusViolation(call, 'a 2xx answer', call.responseClass === 'capacity' ? 'capacity' : undefined)];
}

/** The request must be rejected. Overload, 5xx and a closed connection are inconclusive. */
export function mustReject({ call }: ProbeResult): Violation[] {
  if (isRejection(call)) return [];
  if (call.responseClass === 'accepted') return [statusViolation(call, 'a rejection')];
  const why = call.responseClass === 'capacity' ? 'capacity' : 'target-error';
  return [statusViolation(call, 'a conclusive answer', why)];
}

/** The probe is last, even if its control ended later: a choice may permit the refusal of the last exchange. */
function withControl(result: ProbeResult, control: Call): ProbeResult {
  return { ...result, exchanges: [control.exchange, result.call.exchange] };
}

/**
 * False for a denied key and the class `unanswered`, for a valid probe that got a 2xx but was not carried out, and
 * for a violation at a missing route. A timeout is evidence, although its result is inconclusive.
 */
function isEvidence(call: Call): boolean {
  const { responseClass, exchange } = call;
  if (exchange.probe?.side === 'valid' && responseClass === 'accepted') return isCarriedOut(call);
  if (responseClass === 'absent') return exchange.probe?.side === 'valid' || isRejection(call);
  return responseClass !== 'refused' && responseClass !== 'unanswered';
}

function statusViolation(call: Call, expected: string, inconclusive?: Violation['inconclusive']): Violation {
  const { status: actual, exchange } = call;
  return { at: 'status', expected, actual, exchange: exchange.id, ...(inconclusive && { inconclusive }) };
}
