import type { Exchange } from '../../exchange/exchange.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { Obstacle } from '../../exchange/note.ts';
import type { Operation } from '../../schemas/index.ts';
import { expectedShape } from '../schema/response-evaluator.ts';
import { type Call, exceedsContext, isClosedAlone, type ResponseClass } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';

/** Keyword of base requests, which show no requirement by themselves. */
export const BASE_KEYWORD = 'base';
/** The label of the base request for probes whose labels begin with `name`. */
export function baseLabel(name: string): string {
  return `${name}.base`;
}

/** Pointers to members that name a model, an object, or the files of a fine-tuning job. */
const NAMES_OBJECT = /^body\.(?:model|training_file|validation_file|.*_id|.*_ids\[\])$/;

/**
 * Whether a labelled violation was refused because of its violation. The specification leaves the status open, but
 * 404 and 405 may also mean that the path is not served, unless the control of the violation was accepted there.
 */
export function isRejection({ responseClass: outcome, status, exchange: { probe } }: Call): boolean {
  if (outcome !== 'absent' || probe === null) return outcome === 'rejected';
  if (probe.control !== null) return status !== 501;
  return (probe.keyword === 'unknown' || NAMES_OBJECT.test(probe.pointer)) && status === 404;
}

/** Maximum length of a quoted error message, in characters. */
const QUOTED = 80;

/** The response to a valid request for comparison: the control of a violation, or the base of a valid probe. */
export interface Control {
  readonly exchange: string;
  readonly accepted: boolean;
  /** Whether the same request may get another response: it got none, or one that shows a limit or a failure of the service. */
  readonly mayChange: boolean;
  readonly obstacle: Obstacle;
  /** Label of the base of this request. */
  readonly base: string | null;
}

export function controlOf(call: Call): Control {
  const { exchange, operation, status } = call;
  const accepted = isCarriedOut(call);
  const { method, path } = operation;
  const isBase = exchange.probe?.keyword === BASE_KEYWORD;
  const kindOf = () => {
    if (call.responseClass === 'accepted') return 'unreadable';
    if (exceedsContext(call)) return 'context';
    return mayComeTooLate(call) ? 'late' : 'control';
  };
  const obstacle: Obstacle = isBase
    ? { kind: 'base', method, path, status, said: errorText(call) }
    : { kind: kindOf(), method, path, status };
  const mayChange = PASSING.includes(call.responseClass);
  return { exchange: exchange.id, accepted, mayChange, obstacle, base: exchange.probe?.control ?? null };
}

const PASSING: readonly ResponseClass[] = ['unanswered', 'capacity', 'failed'];

/** Controls by label. Requests overlap, so a control may be answered after the probes that refer to it. */
export class Controls {
  readonly #known = new LruMap<Control>();
  readonly #waiting = new LruMap<((control: Control | null) => void)[]>();

  /** The control with this label, or its base if that was refused too; null if there is no response yet. */
  get(label: string | null): Control | null {
    const control = (label === null ? null : this.#known.get(label)) ?? null;
    if (control === null || control.accepted || control.base === null) return control;
    const base = this.#known.get(control.base);
    return base === undefined || base.accepted ? control : base;
  }

  /** Adds the response to a possible control, and calls back those who wait for it, unless the request may be sent again. */
  learn(label: string, control: Control): void {
    const known = this.#known.get(label);
    if (control.mayChange && known !== undefined) return;
    this.#known.set(label, control);
    if (control.mayChange) return;
    for (const conclude of this.#waiting.get(label) ?? []) conclude(control);
    this.#waiting.delete(label);
  }

  /** Calls back once the response to the control is known, or with null at the end of the trace. */
  whenKnown(label: string | null, conclude: (control: Control | null) => void): void {
    const known = this.get(label);
    if (label === null || known?.mayChange === false) conclude(known);
    else this.#waiting.at(label, () => []).push(conclude);
  }

  finish(): void {
    for (const [label, waiting] of [...this.#waiting.entries()])
      for (const conclude of waiting) conclude(this.get(label));
    for (const [label] of [...this.#waiting.entries()]) this.#waiting.delete(label);
  }
}

function errorText({ exchange: { response } }: Call): string | null {
  const json = jsonContent(response);
  const error = textAt(json, 'error', 'code') ?? textAt(json, 'error', 'message');
  return error === undefined || error === '' ? null : error.slice(0, QUOTED);
}

/** Whether a 2xx has the expected form: an empty or other body does not show that the request was understood. */
export function isCarriedOut(call: Call): boolean {
  const { response } = call.exchange;
  if (call.responseClass !== 'accepted' || response === null) return false;
  const shape = expectedShape(call);
  if (shape?.events != null) return (eventsOf(response)?.events.length ?? 0) > 0;
  if (shape?.schema == null) return response.body.size > 0 || call.variant?.body === null;
  return typeof decodedContent(response)?.json?.value === 'object';
}

/**
 * Whether a cancellation was refused. Its object may have ended before, and 404 may mean that nothing is left to
 * cancel, so such a refusal is not a failure; 405 is one.
 */
export function mayComeTooLate({ operation, responseClass: outcome, status }: Call): boolean {
  return isCancellation(operation) && (outcome === 'rejected' || status === 404);
}

export function isCancellation({ path }: Operation): boolean {
  return path.endsWith('/cancel');
}

export interface ClosedProbe {
  /** The last call of the probe. */
  readonly call: Call;
  /** Whether the connection had closed before, and closed again while no other request was in flight. */
  readonly isAgain: boolean;
}

/**
 * Probes whose connection closed without a response, by label, until the same request is answered. Closing once may be chance:
 * another request in flight may have crashed the service.
 */
export class ClosedProbes {
  readonly #probes = new LruMap<ClosedProbe>();

  /** Probes that are still without a response. */
  get open(): Iterable<ClosedProbe> {
    return this.#probes.values();
  }

  /** Receives a call whose connection closed. A larger upload under the label is another request. */
  add(label: string, call: Call): ClosedProbe {
    const before = this.#probes.get(label)?.call.exchange;
    const isAgain =
      before !== undefined && lengthOf(before) === lengthOf(call.exchange) && isClosedAlone(call.exchange);
    const closed = { call, isAgain };
    this.#probes.set(label, closed);
    return closed;
  }

  /** Forgets a probe, because it was answered. */
  settle(label: string): void {
    this.#probes.delete(label);
  }
}

function lengthOf({ request }: Exchange): string | null {
  return firstHeader(request.headers, 'content-length');
}
