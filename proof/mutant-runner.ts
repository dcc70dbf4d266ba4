import type { Exchange } from '../exchange/exchange.ts';
import { matchesGlob } from '../exchange/glob.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { explainRefusals } from '../explain/diagnosis.ts';
import type {
  EquivalentMutantException,
  Evaluator,
  RequirementSet,
  ResultSink,
} from '../judge/requirements/catalogue.ts';
import type { AcceptanceFacts, RefusalCauses } from '../judge/requirements/refusals.ts';
import { Call } from '../judge/trace/call.ts';
import type { Mutant } from './mutants/mutant.ts';
import type { RequirementMutants, SurvivingMutant, UsedException } from './mutation-report.ts';

interface Survivor {
  readonly rule: string;
  readonly kind: string;
  readonly name: string;
  readonly why: string;
}

/** Judges each mutant by its own requirement. It is killed if the requirement fails and still has evidence. */
export class MutantRunner {
  mutants = 0;
  readonly requirements: Record<string, RequirementMutants> = {};
  readonly #survivors: Survivor[] = [];
  readonly #header: TraceHeader;

  constructor(header: TraceHeader) {
    this.#header = header;
  }

  /** Judges one mutant; the longer trace decides if the short one is inconclusive. */
  take(set: RequirementSet, { requirement: rule, kind, name, exchanges, longer }: Mutant): void {
    this.mutants += 1;
    const short = this.#whySpared(set, rule, exchanges);
    const why = short === null || longer === undefined ? short : this.#whySpared(set, rule, longer());
    const { mutants, killed, by } = this.requirements[rule] ?? { mutants: 0, killed: 0, by: {} };
    const more = why === null ? { [kind]: (by[kind] ?? 0) + 1 } : {};
    this.requirements[rule] = {
      mutants: mutants + 1,
      killed: killed + (why === null ? 1 : 0),
      by: { ...by, ...more },
    };
    if (why !== null) this.#survivors.push({ rule, kind, name, why });
  }

  /** Survivors, kinds without a mutant, and the known exceptions among them. `kinds`: those that apply to a requirement. */
  outcome(
    selected: Iterable<string>,
    kinds: (rule: string) => readonly string[],
    known: readonly EquivalentMutantException[],
  ): { survived: readonly SurvivingMutant[]; exceptions: readonly UsedException[] } {
    const survived: SurvivingMutant[] = [];
    const exceptions = new Map<string, UsedException>();
    for (const { rule, kind, name, why } of [...this.#survivors, ...this.#missingKinds(selected, kinds)]) {
      const exception = known.find((one) => one.kind === kind && matchesGlob(one.id, rule));
      if (exception === undefined) survived.push({ requirement: rule, mutant: name, why });
      else {
        const { reason, expires } = exception;
        exceptions.set(`${rule} ${kind}`, { requirement: rule, kind, reason, expires });
      }
    }
    return { survived, exceptions: [...exceptions.values()] };
  }

  #missingKinds(selected: Iterable<string>, kinds: (rule: string) => readonly string[]): readonly Survivor[] {
    const survivors = new Set(this.#survivors.map(({ rule, kind }) => `${rule} ${kind}`));
    return [...selected].flatMap((rule) => {
      const due = kinds(rule);
      if (due.length === 0) return [{ rule, kind: '', name: '(none)', why: 'no way to break it is known' }];
      const by = this.requirements[rule]?.by ?? {};
      return due
        .filter((kind) => by[kind] === undefined && !survivors.has(`${rule} ${kind}`))
        .map((kind) => ({ rule, kind, name: kind, why: 'no mutant of this kind could be made' }));
    });
  }

  #whySpared(set: RequirementSet, rule: string, exchanges: readonly Exchange[] | null): string | null {
    if (exchanges === null) return 'it applies to nothing in the trace';
    const spy = new RequirementSpy(this.#header, rule);
    feedTrace(set.open(spy, rule), exchanges, this.#header.betaHeader);
    if (spy.faults.length > 0) return `our check threw: ${spy.faults[0]}`;
    if (spy.violations === 0) return 'the requirement does not fail';
    return spy.observations === 0 ? 'the requirement objects, but sees no evidence' : null;
  }
}

export function feedTrace(
  to: Pick<Evaluator, 'call' | 'download' | 'finish' | 'conclude'>,
  exchanges: readonly Exchange[],
  betaHeader: string,
): void {
  for (const exchange of exchanges) {
    const call = Call.from(exchange, betaHeader);
    if (call === null) to.download?.(exchange);
    else to.call(call);
  }
  to.finish();
  to.conclude?.();
}

export class RequirementSpy implements ResultSink {
  readonly header: TraceHeader;
  observations = 0;
  violations = 0;
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

  explainRefusals(facts: AcceptanceFacts): RefusalCauses {
    return explainRefusals(facts);
  }

  excuse(): void {}

  fail(id: string, error: unknown): void {
    if (id === this.#rule) this.faults.push(String(error));
  }
}
