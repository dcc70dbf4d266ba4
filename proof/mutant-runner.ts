import type { Exchange } from '../exchange/exchange.ts';
import { matchesGlob } from '../exchange/glob.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { explainRefusals } from '../explain/diagnosis.ts';
import type { AcceptanceFacts } from '../judge/requirements/acceptance-facts.ts';
import type { EquivalentMutantException, RequirementSet } from '../judge/requirements/catalogue.ts';
import type { Evaluator, ResultSink } from '../judge/requirements/evaluator.ts';
import type { RefusalCauses } from '../judge/requirements/refusal-causes.ts';
import { Call } from '../judge/trace/call.ts';
import type { Mutant } from './mutants/mutant.ts';
import type { RequirementMutants, SurvivingMutant, UsedException } from './mutation-report.ts';

interface Survivor {
  readonly requirement: string;
  readonly kind: string;
  readonly name: string;
  readonly why: string;
}

/** Judges each mutant by its own requirement. A mutant is killed if its requirement fails and still has evidence. */
export class MutantRunner {
  mutantCount = 0;
  readonly requirements: Record<string, RequirementMutants> = {};
  readonly #survivors: Survivor[] = [];
  readonly #header: TraceHeader;

  constructor(header: TraceHeader) {
    this.#header = header;
  }

  judge(set: RequirementSet, { requirement, kind, name, exchanges, longer }: Mutant): void {
    this.mutantCount += 1;
    let why = this.#explainSurvival(set, requirement, exchanges);
    if (why !== null && longer !== undefined) why = this.#explainSurvival(set, requirement, longer());
    const { mutants, killed, by } = this.requirements[requirement] ?? { mutants: 0, killed: 0, by: {} };
    const isKilled = why === null;
    this.requirements[requirement] = {
      mutants: mutants + 1,
      killed: killed + (isKilled ? 1 : 0),
      by: isKilled ? { ...by, [kind]: (by[kind] ?? 0) + 1 } : by,
    };
    if (why !== null) this.#survivors.push({ requirement, kind, name, why });
  }

  conclude(
    selected: Iterable<string>,
    kinds: (id: string) => readonly string[],
    accepted: readonly EquivalentMutantException[],
  ): { survived: readonly SurvivingMutant[]; exceptions: readonly UsedException[] } {
    const survived: SurvivingMutant[] = [];
    const exceptions = new Map<string, UsedException>();
    for (const survivor of [...this.#survivors, ...this.#missingKinds(selected, kinds)]) {
      const { requirement, kind, name, why } = survivor;
      const exception = accepted.find((one) => one.kind === kind && matchesGlob(one.id, requirement));
      if (exception === undefined) survived.push({ requirement, mutant: name, why });
      else {
        const { reason, expires } = exception;
        exceptions.set(`${requirement} ${kind}`, { requirement, kind, reason, expires });
      }
    }
    return { survived, exceptions: [...exceptions.values()] };
  }

  #missingKinds(selected: Iterable<string>, kinds: (id: string) => readonly string[]): readonly Survivor[] {
    const survivors = new Set(this.#survivors.map(({ requirement, kind }) => `${requirement} ${kind}`));
    return [...selected].flatMap((requirement) => {
      const neededKinds = kinds(requirement);
      if (neededKinds.length === 0)
        return [{ requirement, kind: '', name: '(none)', why: 'no mutation breaks the requirement' }];
      const by = this.requirements[requirement]?.by ?? {};
      return neededKinds
        .filter((kind) => by[kind] === undefined && !survivors.has(`${requirement} ${kind}`))
        .map((kind) => ({ requirement, kind, name: kind, why: 'no mutant of this kind could be created' }));
    });
  }

  #explainSurvival(set: RequirementSet, id: string, exchanges: readonly Exchange[] | null): string | null {
    if (exchanges === null) return 'it applies to nothing in the trace';
    const spy = new RequirementSpy(this.#header, id);
    feedTrace(set.open(spy, id), exchanges, this.#header.betaHeader);
    if (spy.errors.length > 0) return `the check threw: ${spy.errors[0]}`;
    if (spy.violations === 0) return 'the requirement does not fail';
    return spy.observations === 0 ? 'the requirement fails, but observes no evidence' : null;
  }
}

export function feedTrace(
  evaluator: Pick<Evaluator, 'call' | 'download' | 'finish' | 'conclude'>,
  exchanges: readonly Exchange[],
  betaHeader: string,
): void {
  for (const exchange of exchanges) {
    const call = Call.from(exchange, betaHeader);
    if (call === null) evaluator.download?.(exchange);
    else evaluator.call(call);
  }
  evaluator.finish();
  evaluator.conclude?.();
}

export class RequirementSpy implements ResultSink {
  readonly header: TraceHeader;
  observations = 0;
  violations = 0;
  readonly errors: string[] = [];
  readonly #requirement: string;

  constructor(header: TraceHeader, requirement: string) {
    this.header = header;
    this.#requirement = requirement;
  }

  observe(id: string, times: number): void {
    if (id === this.#requirement) this.observations += times;
  }

  report(id: string, { inconclusive }: { readonly inconclusive?: string }): void {
    if (id === this.#requirement && inconclusive === undefined) this.violations += 1;
  }

  block(): void {}

  explainRefusals(facts: AcceptanceFacts): RefusalCauses {
    return explainRefusals(facts);
  }

  excuse(): void {}

  fail(id: string, error: unknown): void {
    if (id === this.#requirement) this.errors.push(String(error));
  }
}
