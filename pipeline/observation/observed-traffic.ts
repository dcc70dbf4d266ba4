import type { Exchange } from '../../exchange/exchange.ts';
import { briefJson, printable } from '../../exchange/printable.ts';
import { gapsBetweenEvents } from '../../judge/coverage/latency.ts';
import type { Requirement } from '../../judge/requirements/catalogue.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import { type CallDialect, operationOf, targetPath } from '../../judge/trace/call.ts';

export interface ExchangeMeasure {
  /** Operation id; `other` if neither specification nor dialect lists the request. */
  readonly operation: string;
  /** `2xx`; `none` if no status line arrived. */
  readonly status: string;
  /** Seconds from the request to the first byte of the response body; null if none arrived or its time is unknown. */
  readonly firstByte: number | null;
  /** Seconds between consecutive events of a stream, the first 1000; empty for other responses. */
  readonly gaps: readonly number[];
  readonly requestBytes: number;
  /** Bytes of the response body before decompression; 0 without a response. */
  readonly responseBytes: number;
}

/** A violation as logs and metrics receive it. Secrets are replaced, as in recordings. */
export interface ObservedFinding {
  readonly requirement: string;
  readonly operation: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly says: string;
  /** The section of the specification: `2 Models`. */
  readonly spec: string;
  /** JSON pointer, or a description of a place outside JSON: `/data/0/id`, `header content-type`. */
  readonly at: string;
  readonly expected: string;
  /** The value found, as JSON of at most 200 characters; null if it is absent. */
  readonly actual: string | null;
  /** Id of the exchange that shows the violation, such as `e3`; null if none does. */
  readonly exchange: string | null;
  /** Whether this is the first violation of the requirement at this place, ignoring numbers such as array indexes. */
  readonly isFirst: boolean;
}

const MAX_GAPS = 1000;
const MAX_ACTUAL_LENGTH = 200;
/** Maximum number of places remembered; beyond it, no violation counts as the first. */
const MAX_PLACES = 10_000;

export function measureExchange(exchange: Exchange, dialect: CallDialect | null): ExchangeMeasure {
  const { request, response } = exchange;
  const first = response?.pieces[0]?.at;
  const gaps = response === null ? [] : gapsBetweenEvents(response);
  return {
    operation: operationNameOf(exchange, dialect),
    status: response === null ? 'none' : `${Math.floor(response.status / 100)}xx`,
    firstByte: first === undefined ? null : first / 1000,
    gaps: gaps.slice(0, MAX_GAPS).map((gap) => gap / 1000),
    requestBytes: request.body.size,
    responseBytes: response?.body.size ?? 0,
  };
}

/** The operation as a label for metrics; all unlisted requests share one value, so that the label has few values. */
function operationNameOf({ request }: Exchange, dialect: CallDialect | null): string {
  // As in `Call.from`, paths of the dialect come first.
  const match = dialect?.match(request.method, targetPath(request.target)) ?? operationOf(request);
  return match?.operation.id ?? 'other';
}

export class FindingObserver {
  readonly #places = new Set<string>();
  readonly #dialect: CallDialect | null;

  constructor(dialect: CallDialect | null) {
    this.#dialect = dialect;
  }

  describe(violation: Violation, requirement: Requirement, evidence: readonly Exchange[]): ObservedFinding {
    const { id, level, says, spec } = requirement;
    const { at, expected, actual, exchange } = violation;
    const proof = evidence.find((one) => one.id === exchange) ?? evidence.at(-1);
    return {
      requirement: id,
      operation: proof === undefined ? 'other' : operationNameOf(proof, this.#dialect),
      level,
      says,
      spec,
      at: printable(at),
      expected: printable(expected),
      actual: actual === undefined ? null : briefJson(actual, MAX_ACTUAL_LENGTH),
      exchange: proof?.id ?? null,
      isFirst: this.#isFirst(`${id} ${at.replaceAll(/\d+/g, '[]')}`),
    };
  }

  #isFirst(place: string): boolean {
    if (this.#places.has(place) || this.#places.size >= MAX_PLACES) return false;
    this.#places.add(place);
    return true;
  }
}
