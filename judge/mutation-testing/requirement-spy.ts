import type { TraceHeader } from '../../exchange/trace.ts';
import type { ResultSink } from '../requirements/catalogue.ts';

/** Sees what is said of one rule. */
export class RequirementSpy implements ResultSink {
  readonly header: TraceHeader;
  observations = 0;
  objections = 0;
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
    if (id === this.#rule && inconclusive === undefined) this.objections += 1;
  }

  block(): void {}

  fail(id: string, error: unknown): void {
    if (id === this.#rule) this.faults.push(String(error));
  }
}
