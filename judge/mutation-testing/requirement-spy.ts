// A sink that records the results of a single requirement, and ignores those of all others.
import type { TraceHeader } from '../../exchange/trace.ts';
import type { ResultSink } from '../requirements/catalogue.ts';

/** Results of one requirement. */
export class RequirementSpy implements ResultSink {
  readonly header: TraceHeader;
  /** Pieces of evidence seen. */
  observations = 0;
  /** Violations, inconclusive ones not counted. */
  violations = 0;
  /** Errors that its check threw. */
  readonly faults: string[] = [];
  readonly #rule: string;

  constructor(header: TraceHeader, rule: string) {
    this.header = header;
    this.#rule = rule;
  }

  observe(id: string, times: number): void {
    if (id === this.#rule) this.observations += times;
  }

  report(id: string, { inconclusive }: { readonly inconclusive?: string }): void {
    if (id === this.#rule && inconclusive === undefined) this.violations += 1;
  }

  block(): void {}

  /** What a cause breaks is reported beside it. */
  diagnose(): void {}

  excuse(): void {}

  fail(id: string, error: unknown): void {
    if (id === this.#rule) this.faults.push(String(error));
  }
}
