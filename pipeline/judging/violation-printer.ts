import type { Exchange } from '../../exchange/exchange.ts';
import type { Rule } from '../../judge/catalogue.ts';
import type { Complaint } from '../../judge/requirement.ts';
import type { Paint } from '../../reports/paint.ts';
import { violation } from '../../reports/violation.ts';

/** Different violations that are printed as they happen; the report has all of them. */
const PRINTED = 1_000;

/** Puts each violation into words when it is met for the first time: one per requirement and place. */
export class ViolationPrinter {
  readonly #page: { readonly width: number; readonly paint: Paint };
  readonly #print: (text: string) => void;
  readonly #printed = new Set<string>();

  constructor(page: { readonly width: number; readonly paint: Paint }, print: (text: string) => void) {
    this.#page = page;
    this.#print = print;
  }

  print(complaint: Complaint, rule: Rule, evidence: readonly Exchange[]): void {
    const place = `${rule.id} ${complaint.at.replaceAll(/\d+/g, '[]')}`;
    if (this.#printed.size >= PRINTED || this.#printed.has(place)) return;
    this.#printed.add(place);
    this.#print(violation(rule, complaint, evidence, this.#page));
  }
}
