import type { Exchange } from '../../exchange/exchange.ts';
import type { Requirement } from '../../judge/requirements/catalogue.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import { type ViolationPage, violationLine, violationLines } from '../../reports/terminal/violation.ts';

/** Different violations that are printed as they happen; the report has all of them. */
const PRINTED = 1_000;

/** Puts each violation into words when it is met for the first time: one per requirement and place. */
export class ViolationPrinter {
  readonly #page: ViolationPage & { readonly length: 'full' | 'line' };
  readonly #print: (text: string) => void;
  readonly #printed = new Set<string>();

  constructor(page: ViolationPage & { readonly length: 'full' | 'line' }, print: (text: string) => void) {
    this.#page = page;
    this.#print = print;
  }

  /** Prints a violation unless its requirement was printed for the same place; array indexes do not count. */
  print(violation: Violation, requirement: Requirement, evidence: readonly Exchange[]): void {
    const place = `${requirement.id} ${violation.at.replaceAll(/\d+/g, '[]')}`;
    if (this.#printed.size >= PRINTED || this.#printed.has(place)) return;
    this.#printed.add(place);
    const words = this.#page.length === 'full' ? violationLines : violationLine;
    this.#print(words(requirement, violation, evidence, this.#page));
  }
}
