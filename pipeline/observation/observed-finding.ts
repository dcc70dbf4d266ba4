import type { Exchange } from '../../exchange/exchange.ts';
import { briefJson, printable } from '../../exchange/printable.ts';
import type { Requirement } from '../../judge/requirements/catalogue.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import type { CallDialect } from '../../judge/trace/call.ts';
import { operationNameOf } from './exchange-measure.ts';

/** A violation as logs and metrics receive it. Secrets are replaced unless they became known after it was judged. */
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

/** Identifies a requirement and a place. Numbers, such as array indexes, do not distinguish places. */
export function placeKey(requirement: string, at: string): string {
  return `${requirement} ${at.replaceAll(/\d+/g, '[]')}`;
}

const MAX_ACTUAL_LENGTH = 200;
/** Maximum number of places remembered; beyond it, no violation counts as the first. */
const MAX_PLACES = 10_000;

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
      exchange: exchange ?? proof?.id ?? null,
      isFirst: this.#isFirst(placeKey(id, at)),
    };
  }

  #isFirst(place: string): boolean {
    if (this.#places.has(place) || this.#places.size >= MAX_PLACES) return false;
    this.#places.add(place);
    return true;
  }
}
