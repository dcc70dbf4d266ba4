import { jsonContent } from '../../exchange/http/content.ts';
import type { Obstacle } from '../../exchange/note.ts';
import type { Call } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { ResponseClass } from '../trace/response-class.ts';
import { exceedsContext } from '../trace/undecided-reason.ts';
import { quoteBeginning } from '../verdict/findings.ts';
import { BASE_KEYWORD, isCarriedOut, isRefusedCancellation } from './probe-outcomes.ts';

/** Maximum length of a quoted error code or message, in UTF-16 code units. */
const MAX_QUOTED = 80;
const TRANSIENT_CLASSES: readonly ResponseClass[] = ['unanswered', 'capacity', 'failed'];

/** The response to a valid request, kept for comparison: the control of a violation, or the base of a valid probe. */
export interface Control {
  readonly exchange: string;
  readonly isAccepted: boolean;
  /** Whether the same request may get another response later: it hit a limit, failed, or got no conclusive one. */
  readonly mayChange: boolean;
  readonly obstacle: Obstacle;
  readonly base: string | null;
}

export function controlOf(call: Call): Control {
  const { exchange, operation, status } = call;
  const isAccepted = isCarriedOut(call);
  const { method, path } = operation;
  const isBase = exchange.probe?.keyword === BASE_KEYWORD;
  const refusalKind = () => {
    if (call.responseClass === 'accepted') return 'unreadable';
    if (exceedsContext(call)) return 'context';
    return isRefusedCancellation(call) ? 'late' : 'control';
  };
  const obstacle: Obstacle = isBase
    ? { kind: 'base', method, path, status, said: errorText(call) }
    : { kind: refusalKind(), method, path, status };
  const mayChange = TRANSIENT_CLASSES.includes(call.responseClass);
  return { exchange: exchange.id, isAccepted, mayChange, obstacle, base: exchange.probe?.control ?? null };
}

interface Waiting {
  readonly label: string;
  readonly conclude: (control: Control | null) => void;
}

/** Requests overlap, so a control may be answered after the probes that refer to it, and before its base. */
export class Controls {
  readonly #known = new LruMap<Control>();
  /** By the label of the control or base whose response is missing. */
  readonly #waiting = new LruMap<Waiting[]>();

  /** The control with this label, or its base if neither was accepted; null if the control is unknown so far. */
  get(label: string | null): Control | null {
    const control = (label === null ? null : this.#known.get(label)) ?? null;
    if (control === null || control.isAccepted || control.base === null) return control;
    const base = this.#known.get(control.base);
    return base === undefined || base.isAccepted ? control : base;
  }

  /**
   * Stores a control or base, and calls the callbacks that wait for nothing else if its response is final. A response
   * that may still change does not replace an earlier one.
   */
  learn(label: string, control: Control): void {
    const known = this.#known.get(label);
    if (control.mayChange && known !== undefined) return;
    this.#known.set(label, control);
    if (control.mayChange) return;
    const waiting = this.#waiting.get(label) ?? [];
    this.#waiting.delete(label);
    for (const one of waiting) this.whenKnown(one.label, one.conclude);
  }

  /**
   * Calls back once the response to the control is final and, unless it was accepted, that to its base; otherwise at
   * the end of the trace. Null for no control.
   */
  whenKnown(label: string | null, conclude: (control: Control | null) => void): void {
    const missing = label === null ? null : this.#missingFor(label);
    if (label === null || missing === null) conclude(this.get(label));
    else this.#waiting.at(missing, () => []).push({ label, conclude });
  }

  #missingFor(label: string): string | null {
    const control = this.#known.get(label);
    if (control === undefined || control.mayChange) return label;
    if (control.isAccepted || control.base === null) return null;
    return this.#known.get(control.base)?.mayChange === false ? null : control.base;
  }

  finish(): void {
    for (const [missing, waiting] of [...this.#waiting.entries()]) {
      for (const { label, conclude } of waiting) conclude(this.get(label));
      this.#waiting.delete(missing);
    }
  }
}

function errorText({ exchange: { response } }: Call): string | null {
  const json = jsonContent(response);
  const error = textAt(json, 'error', 'code') || textAt(json, 'error', 'message');
  return error ? quoteBeginning(error, MAX_QUOTED) : null;
}
