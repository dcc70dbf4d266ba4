// Figures of one exchange. They leave the judging thread, so they hold no content of the traffic.
import type { Exchange } from '../../exchange/exchange.ts';
import { gapsBetweenEvents } from '../../judge/coverage/latency.ts';
import type { Requirement } from '../../judge/requirements/catalogue.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import { operationOf, type PathMatcher } from '../../judge/trace/call.ts';
import { briefJson, printable } from '../../schemas/excerpt.ts';

/** The figures of one exchange; times in seconds. */
export interface ExchangeMeasure {
  /** Id of the operation; `other` for any request that the specification does not list. */
  readonly operation: string;
  /** `2xx`; `none` where no status line arrived. */
  readonly status: string;
  /** Until the first byte of the body; null where none arrived. */
  readonly firstByte: number | null;
  /** From one event of a stream to the next. */
  readonly gaps: readonly number[];
  /** Bytes of the bodies. */
  readonly sent: number;
  readonly received: number;
}

/** A violation as it is logged and counted. Secrets in its values are replaced, as they are in recordings. */
export interface ObservedFinding {
  readonly requirement: string;
  /** Id of the operation; `other` for any request that the specification does not list. */
  readonly operation: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly says: string;
  readonly spec: string;
  readonly at: string;
  readonly expected: string;
  /** As JSON, shortened; null where nothing is there. */
  readonly actual: string | null;
  /** Id of the exchange. */
  readonly exchange: string | null;
  /** Whether the requirement is broken at this place for the first time; array indexes do not count. */
  readonly isFirst: boolean;
}

/** Gaps that are counted of one stream. */
const MOST_GAPS = 1000;

/** The figures of an exchange. */
export function measure(exchange: Exchange, dialect: PathMatcher | null): ExchangeMeasure {
  const { request, response } = exchange;
  const first = response?.pieces[0]?.at;
  const gaps = response === null ? [] : gapsBetweenEvents(response);
  return {
    operation: operationNameOf(exchange, dialect),
    status: response === null ? 'none' : `${Math.floor(response.status / 100)}xx`,
    firstByte: first === undefined ? null : first / 1000,
    gaps: gaps.slice(0, MOST_GAPS).map((gap) => gap / 1000),
    sent: request.body.size,
    received: response?.body.size ?? 0,
  };
}

/** A label of which there are few: targets that the specification does not list have one in common. */
export function operationNameOf({ request }: Exchange, dialect: PathMatcher | null): string {
  const path = request.target.split('?', 1)[0] ?? '';
  const found = operationOf(request) ?? dialect?.match(request.method, path);
  return found?.operation.id ?? 'other';
}

/** Characters of a value in a log. */
const LONGEST = 200;
/** Places that are remembered; at further ones nothing is the first. */
const MOST_PLACES = 10_000;

/** Makes violations plain data, and knows which of them are the first at their place. */
export class FindingObserver {
  readonly #places = new Set<string>();
  readonly #dialect: PathMatcher | null;

  constructor(dialect: PathMatcher | null) {
    this.#dialect = dialect;
  }

  finding(violation: Violation, requirement: Requirement, evidence: readonly Exchange[]): ObservedFinding {
    const { id, level, says, spec } = requirement;
    const { at, expected, actual, exchange } = violation;
    const shown = evidence.find((one) => one.id === exchange) ?? evidence.at(-1);
    return {
      requirement: id,
      operation: shown === undefined ? 'other' : operationNameOf(shown, this.#dialect),
      level,
      says,
      spec,
      at: printable(at),
      expected: printable(expected),
      actual: actual === undefined ? null : briefJson(actual, LONGEST),
      exchange: shown?.id ?? null,
      isFirst: this.#isFirst(`${id} ${at.replaceAll(/\d+/g, '[]')}`),
    };
  }

  #isFirst(place: string): boolean {
    if (this.#places.has(place) || this.#places.size >= MOST_PLACES) return false;
    this.#places.add(place);
    return true;
  }
}
