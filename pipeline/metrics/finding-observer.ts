import type { Exchange } from '../../exchange/exchange.ts';
import { briefJson, printable } from '../../exchange/printable.ts';
import type { Requirement } from '../../judge/requirements/catalogue.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import type { PathMatcher } from '../../judge/trace/call.ts';
import { type ObservedFinding, operationNameOf } from './exchange-measure.ts';

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
